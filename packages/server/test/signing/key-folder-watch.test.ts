import { chmodSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { openFileSigner } from '../../src/signing/file-signer.ts';
import { KeyFolderWatch } from '../../src/signing/key-folder-watch.ts';

function openTwo() {
  const dataDir = mkdtempSync(join(tmpdir(), 'permitry-keys-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const served = openFileSigner(dataDir, systemClock);
  const errors: unknown[] = [];
  let reloads = 0;
  const counted = {
    reload: () => {
      reloads += 1;
      served.reload();
    },
  };
  const watch = new KeyFolderWatch(counted, dataDir, (error) => errors.push(error));
  return {
    dataDir,
    served,
    other: openFileSigner(dataDir, systemClock),
    watch,
    errors,
    reloads: () => reloads,
  };
}

test('a rotation by another process is taken up', () => {
  const { served, other, watch } = openTwo();
  const kid = other.rotate();
  expect(served.current.kid).not.toBe(kid);
  watch.look();
  expect(served.current.kid).toBe(kid);
});

test('a folder that was left alone is not read again', () => {
  const { dataDir, watch, reloads } = openTwo();
  utimesSync(join(dataDir, 'keys'), 0, 0);
  watch.look();
  expect(reloads()).toBe(0);
});

test('a folder that must not be trusted leaves the keys as they are', () => {
  const { dataDir, served, other, watch, errors } = openTwo();
  const { kid } = served.current;
  other.rotate();
  chmodSync(join(dataDir, 'keys'), 0o777);
  watch.look();
  expect(served.current.kid).toBe(kid);
  expect(errors).toHaveLength(1);

  chmodSync(join(dataDir, 'keys'), 0o700);
  watch.look();
  expect(served.current.kid).toBe(other.current.kid);
});

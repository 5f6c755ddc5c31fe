import { chmodSync, mkdtempSync, rmSync, utimesSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { KeyFolderWatch } from '../../src/signing/key-folder-watch.ts';
import { openSigningKeys } from '../../src/signing/signing-keys.ts';

async function openTwo() {
  const dataDir = mkdtempSync(join(tmpdir(), 'permitry-keys-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const served = await openSigningKeys({ dataDir, clock: systemClock });
  const errors: unknown[] = [];
  let reloads = 0;
  const counted = {
    reload: () => {
      reloads += 1;
      return served.reload();
    },
  };
  const watch = new KeyFolderWatch(counted, dataDir, { error: (error) => void errors.push(error) });
  return {
    dataDir,
    served,
    other: await openSigningKeys({ dataDir, clock: systemClock }),
    watch,
    errors,
    reloads: () => reloads,
  };
}

test('a rotation by another process is taken up', async () => {
  const { served, other, watch } = await openTwo();
  const kid = await other.rotate('operator', { early: true });
  expect(served.current.kid).not.toBe(kid);
  await watch.look();
  expect(served.current.kid).toBe(kid);
});

test('a folder that was left alone is not read again', async () => {
  const { dataDir, watch, reloads } = await openTwo();
  utimesSync(join(dataDir, 'keys'), 0, 0);
  await watch.look();
  expect(reloads()).toBe(0);
});

test('a folder that must not be trusted leaves the keys as they are', async () => {
  const { dataDir, served, other, watch, errors } = await openTwo();
  const { kid } = served.current;
  await other.rotate('operator', { early: true });
  chmodSync(join(dataDir, 'keys'), 0o777);
  await watch.look();
  expect(served.current.kid).toBe(kid);
  expect(errors).toHaveLength(1);

  chmodSync(join(dataDir, 'keys'), 0o700);
  await watch.look();
  expect(served.current.kid).toBe(other.current.kid);
});

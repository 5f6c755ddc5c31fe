import { chmodSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { KeyFolder } from '../../src/keys/key-folder.ts';
import { KeyFolderWatch } from '../../src/keys/key-folder-watch.ts';
import { openSigningKeys } from '../../src/keys/signing-keys.ts';
import { systemClock } from '../../src/runtime/clock.ts';

async function openTwo() {
  const dataDir = mkdtempSync(join(tmpdir(), 'permitry-keys-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const served = await openSigningKeys({ store: new KeyFolder(dataDir), clock: systemClock });
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
    other: await openSigningKeys({ store: new KeyFolder(dataDir), clock: systemClock }),
    watch,
    errors,
    reloads: () => reloads,
  };
}

test('a rotation by another process is taken up', async () => {
  const { served, other, watch } = await openTwo();
  const kid = await other.rotate('operator', { early: true });
  expect(served.current.kid).not.toBe(kid);
  await watch.poll();
  expect(served.current.kid).toBe(kid);
});

test('a folder that was left alone is not read again', async () => {
  const { dataDir, watch, reloads } = await openTwo();
  await watch.poll();
  // Once more: what happened within the grain of its time may have been missed.
  await setTimeout(1100);
  await watch.poll();
  const seen = reloads();
  await watch.poll();
  expect(reloads()).toBe(seen);
  utimesSync(join(dataDir, 'keys'), 0, 0);
  await watch.poll();
  expect(reloads()).toBe(seen + 1);
});

test('a folder that must not be trusted leaves the keys as they are', async () => {
  const { dataDir, served, other, watch, errors } = await openTwo();
  const { kid } = served.current;
  await other.rotate('operator', { early: true });
  chmodSync(join(dataDir, 'keys'), 0o777);
  await watch.poll();
  expect(served.current.kid).toBe(kid);
  expect(errors).toHaveLength(1);

  chmodSync(join(dataDir, 'keys'), 0o700);
  await watch.poll();
  expect(served.current.kid).toBe(other.current.kid);
});

test('a withdrawal is taken up also while the clock is set back', async () => {
  const { dataDir, served, other, watch } = await openTwo();
  const { kid } = served.current;
  // As every file system tells of it on a machine whose clock was set back after the server's last look.
  await other.markCompromised([kid]);
  const anHourAgo = Date.now() / 1000 - 3600;
  utimesSync(join(dataDir, 'keys'), anHourAgo, anHourAgo);
  await watch.poll();
  expect(served.publicKey(kid)).toBeUndefined();
});

test('a withdrawal is taken up also beside a file that cannot be read', async () => {
  const { dataDir, served, other, watch, errors } = await openTwo();
  const { kid } = served.current;
  await other.markCompromised([kid]);
  writeFileSync(join(dataDir, 'keys', 'a copy.json'), 'no key', { mode: 0o600 });
  await watch.poll();
  expect(served.publicKey(kid)).toBeUndefined();
  expect(errors).toHaveLength(1);
});

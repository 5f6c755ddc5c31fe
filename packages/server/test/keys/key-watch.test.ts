import { chmodSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { KeyFolder } from '../../src/keys/key-folder.ts';
import { KeyWatch } from '../../src/keys/key-watch.ts';
import { openSigningKeys } from '../../src/keys/signing-keys.ts';
import { systemClock } from '../../src/runtime/clock.ts';

async function openTwo() {
  const dataDir = mkdtempSync(join(tmpdir(), 'permitry-keys-'));
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
  const served = await openSigningKeys({ store: new KeyFolder(dataDir), clock: systemClock });
  const errors: unknown[] = [];
  const watch = new KeyWatch(served, { directory: dataDir }, { error: (error) => void errors.push(error) });
  onTestFinished(() => watch.stop());
  return {
    dataDir,
    served,
    other: await openSigningKeys({ store: new KeyFolder(dataDir), clock: systemClock }),
    watch,
    errors,
  };
}

test('a server adopts a rotation by another process when it polls', async () => {
  const { served, other, watch } = await openTwo();
  const kid = await other.rotate('operator', { early: true });
  expect(served.current.kid).not.toBe(kid);
  await watch.poll();
  expect(served.current.kid).toBe(kid);
});

test('a server adopts a change without polling if the file system reports it', async () => {
  const { served, other, watch } = await openTwo();
  watch.start();
  const kid = await other.rotate('operator', { early: true });
  await expect.poll(() => served.current.kid).toBe(kid);
});

test('a server keeps its keys while others can write to the folder', async () => {
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

test('a server adopts a compromise even if the clock was set back', async () => {
  const { dataDir, served, other, watch } = await openTwo();
  const { kid } = served.current;
  // File systems report such a time on a machine whose clock was set back after the server's last poll.
  await other.markCompromised([kid]);
  const anHourAgo = Date.now() / 1000 - 3600;
  utimesSync(join(dataDir, 'keys'), anHourAgo, anHourAgo);
  await watch.poll();
  expect(served.publicKey(kid)).toBeUndefined();
});

test('a server adopts a compromise even next to a file that cannot be read', async () => {
  const { dataDir, served, other, watch, errors } = await openTwo();
  const { kid } = served.current;
  await other.markCompromised([kid]);
  writeFileSync(join(dataDir, 'keys', 'a copy.json'), 'no key', { mode: 0o600 });
  await watch.poll();
  expect(served.publicKey(kid)).toBeUndefined();
  expect(errors).toHaveLength(1);
});

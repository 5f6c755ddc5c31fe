/** A gate checks after a failover that the new server has everything, in the first transaction that reaches it. */
import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { stopProject } from '../../src/gate/projects/stop-switch.ts';
import { LossWatch } from '../../src/ops/restore-detection/loss-watch.ts';
import { OPERATOR, openTestGate, type TestGate } from '../fixtures/open-test-gate.ts';

let t: TestGate;
let watch: LossWatch;
let told: unknown[];
/** Called before a transaction of the watch reaches the database. */
let onTake: () => void;
/** Called when the work of a transaction of the watch has run but is not committed. */
let onRun: () => void;

beforeEach(async () => {
  t = await openTestGate();
  told = [];
  onTake = () => {};
  onRun = () => {};
  const { storage } = t.gate;
  const database = {
    read: storage.read,
    identity: async () => 'the same',
    transaction: async (...[work, how]: Parameters<typeof storage.transaction>) => {
      onTake();
      return storage.transaction(async (tx) => {
        const value = await work(tx);
        onRun();
        return value;
      }, how);
    },
  } as ConstructorParameters<typeof LossWatch>[0]['storage'];
  watch = new LossWatch(
    { storage: database, clock: t.gate.clock },
    { run: randomUUID(), file: null, onError: (error) => told.push(error) },
  );
  await watch.start();
});
afterEach(async () => {
  await watch.stop();
  await t.close();
});

const CLOSED = { code: 'service_unavailable', message: expect.stringContaining('declare-restored') };

async function lastEvent(): Promise<string> {
  await stopProject(t.gate, OPERATOR, { projectId: t.projectId });
  const [id = ''] = await t.gate.storage.read.listLatestEventIds(t.projectId, 1);
  return id;
}

test('a gate continues on a new server that has every acknowledged event', async () => {
  watch.acknowledged(t.projectId, await lastEvent());
  watch.promoted();
  await watch.assertNone();
  expect(told).toEqual([]);
});

test('a gate closes and marks the loss when the new server lacks an acknowledged event', async () => {
  watch.acknowledged(t.projectId, await lastEvent());
  watch.acknowledged(t.projectId, 'evt_lost');
  watch.promoted();
  await expect(watch.assertNone()).rejects.toMatchObject(CLOSED);
  expect(told).toHaveLength(1);
  expect(await t.gate.storage.read.findInstallationFact('commits_lost')).toBe(watch.intactUntil);
});

test('a gate notices the loss even if its watch is the first to reach the new server', async () => {
  watch.acknowledged(t.projectId, 'evt_lost');
  onTake = () => {
    onTake = () => {};
    watch.promoted();
  };
  await expect.poll(() => watch.intactUntil).not.toBeNull();
  await expect(watch.assertNone()).rejects.toMatchObject(CLOSED);
});

test('a gate notices the loss of an event acknowledged while its watch was reaching the new server', async () => {
  watch.acknowledged(t.projectId, await lastEvent());
  onTake = () => {
    onTake = () => {};
    watch.acknowledged(t.projectId, 'evt_lost');
    watch.promoted();
  };
  await expect.poll(() => watch.intactUntil).not.toBeNull();
});

test('a gate notices the loss even if the server changes between the watch’s check and its commit', async () => {
  watch.acknowledged(t.projectId, 'evt_lost');
  // Makes the new mark later than the existing one.
  t.clock.advance(3);
  onRun = () => {
    onRun = () => {};
    watch.promoted();
  };
  await expect.poll(() => watch.intactUntil).not.toBeNull();
});

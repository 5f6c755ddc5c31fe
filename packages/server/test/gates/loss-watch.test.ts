/** When a gate looks whether the server that took over has everything, on whichever transaction reaches it first. */
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
/** Called when the work of such a transaction has run, and nothing is committed. */
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

test('a server that has every event that was acknowledged is gone on with', async () => {
  watch.acknowledged(t.projectId, await lastEvent());
  watch.promoted();
  await watch.assertNone();
  expect(told).toEqual([]);
});

test('one that lacks an event is not, and the loss is marked', async () => {
  watch.acknowledged(t.projectId, await lastEvent());
  watch.acknowledged(t.projectId, 'evt_lost');
  watch.promoted();
  await expect(watch.assertNone()).rejects.toMatchObject(CLOSED);
  expect(told).toHaveLength(1);
  expect(await t.gate.storage.read.findInstallationFact('commits_lost')).toBe(watch.intactUntil);
});

test('nor where the watch itself is the first to reach it', async () => {
  watch.acknowledged(t.projectId, 'evt_lost');
  onTake = () => {
    onTake = () => {};
    watch.promoted();
  };
  await expect.poll(() => watch.intactUntil).not.toBeNull();
  await expect(watch.assertNone()).rejects.toMatchObject(CLOSED);
});

test('nor where an event was acknowledged while the watch was on its way there', async () => {
  watch.acknowledged(t.projectId, await lastEvent());
  onTake = () => {
    onTake = () => {};
    watch.acknowledged(t.projectId, 'evt_lost');
    watch.promoted();
  };
  await expect.poll(() => watch.intactUntil).not.toBeNull();
});

test('nor where the watch looked at the server before, and its mark is the first commit of the next', async () => {
  watch.acknowledged(t.projectId, 'evt_lost');
  // A later mark than the one that is there.
  t.clock.advance(3);
  onRun = () => {
    onRun = () => {};
    watch.promoted();
  };
  await expect.poll(() => watch.intactUntil).not.toBeNull();
});

/** Gates that seal one project at the same time: under load, with late commits, and when one dies. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { recordEvent } from '../../src/gate/audit/record-event.ts';
import { sealProject } from '../../src/gate/audit/seal.ts';
import { Sealer } from '../../src/gate/audit/sealer.ts';
import { verifyAudit } from '../../src/gate/audit/verify-audit.ts';
import { ALONE, type Bus } from '../../src/gate/kernel/bus.ts';
import type { GateParts } from '../../src/open-gate.ts';
import type { Transaction } from '../../src/storage/nouns.ts';
import { openPostgresStorage } from '../../src/storage/postgres/open-postgres-storage.ts';
import type { OpenStorage } from '../../src/storage/storage.ts';
import { OPERATOR, openTestGate, type TestGate } from '../fixtures/open-test-gate.ts';
import { PATIENCE } from '../fixtures/postgres/patience.ts';

/** The first gate's own sealer is closed, so that events are sealed only where a test says so. */
let t: TestGate;
let other: OpenStorage;
beforeEach(async () => {
  t = await openTestGate({ on: 'postgres' });
  await t.sealer.close();
  if (!('url' in t.database)) throw new Error('not on PostgreSQL');
  other = await openPostgresStorage({ url: t.database.url, ...PATIENCE });
});
afterEach(async () => {
  await other.close();
  await t.close();
});

/** The parts of a gate that write and seal, on each storage, without the automatic sealing. */
function sealers(): GateParts[] {
  const ledger = { ...t.gate.ledger, recorded() {} };
  return [t.gate.storage, other].map((storage) => ({ ...t.gate, ledger, storage }));
}

function record(gate: GateParts, tx: Transaction, data: Record<string, number>): Promise<void> {
  return recordEvent(gate, tx, {
    projectId: t.projectId,
    type: 'access.refused',
    occurredAt: gate.clock.now(),
    actor: { type: 'system', id: 'system', display: 'the gate' },
    data,
  });
}

const write = (gate: GateParts, data: Record<string, number>) =>
  gate.storage.transaction((tx) => record(gate, tx, data), { guarded: true });

/** A transaction that writes its event immediately, but commits only after `ms`. */
const writeLate = (gate: GateParts, data: Record<string, number>, ms: number) =>
  gate.storage.transaction(async (tx) => {
    await record(gate, tx, data);
    await delay(ms);
  });

async function sealedData(): Promise<{ seq: number; data: Record<string, unknown> }[]> {
  const events = await t.gate.storage.read.listSealedEvents({
    projectId: t.projectId,
    types: ['access.refused'],
    order: 'asc',
    limit: 10_000,
  });
  return events.map(({ seq, data }) => ({ seq, data }));
}

/** All events are sealed in order without a gap, and the whole chain verifies against its signed head. */
async function expectWhole(events: number): Promise<void> {
  const ledger = { ...t.gate.ledger, sealNow: async () => {} };
  const verdict = await verifyAudit({ ...t.gate, ledger }, OPERATOR, t.projectId);
  expect(verdict).toMatchObject({ valid: true, unsealed: 0, sealedThrough: verdict.count });
  expect(await sealedData()).toHaveLength(events);
}

test('when two gates seal at once under load and transactions commit late, the chain has no fork and no gap', async () => {
  const gates = sealers();
  let writing = true;
  const won = [0, 0];
  const sealing = gates.flatMap((gate, index) =>
    [1, 2].map(async () => {
      while (writing) {
        const sealed = await sealProject(gate, t.projectId);
        won[index] = (won[index] ?? 0) + sealed;
        await delay(5 * Math.random());
      }
    }),
  );
  const writers = Array.from({ length: 16 }, async (_, writer) => {
    for (let n = 0; n < 25; n += 1) await write(gates[writer % 2] as GateParts, { writer, n });
  });
  const late = Array.from({ length: 6 }, async (_, writer) => {
    for (let n = 0; n < 4; n += 1)
      await writeLate(gates[writer % 2] as GateParts, { late: writer, n }, 40 + 20 * writer);
  });
  await Promise.all([...writers, ...late]);
  // Continues until both gates have sealed something, because otherwise the race was not tested.
  let more = 0;
  for (; Math.min(...won) === 0; more += 1) await write(gates[0] as GateParts, { more });
  writing = false;
  await Promise.all(sealing);
  for (const gate of gates) await sealProject(gate, t.projectId);

  await expectWhole(16 * 25 + 6 * 4 + more);
  const events = await sealedData();
  for (let writer = 0; writer < 16; writer += 1) {
    const own = events.filter(({ data }) => data.writer === writer).map(({ data }) => data.n);
    expect(own).toEqual(Array.from({ length: 25 }, (_, n) => n));
  }
});

test('an event written early but committed late comes after those sealed in between', async () => {
  const [one, two] = sealers() as [GateParts, GateParts];
  const written = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const late = one.storage.transaction(async (tx) => {
    await record(one, tx, { late: 1 });
    written.resolve();
    await release.promise;
  });
  await written.promise;
  await write(two, { n: 1 });
  await sealProject(two, t.projectId);
  expect((await sealedData()).map(({ data }) => data)).toEqual([{ n: 1 }]);
  release.resolve();
  await late;
  await write(one, { n: 2 });
  await sealProject(two, t.projectId);
  expect((await sealedData()).map(({ data }) => data)).toEqual([{ n: 1 }, { late: 1 }, { n: 2 }]);
  await expectWhole(3);
});

test('sealing covers everything committed before the call, and ends even while more events arrive', async () => {
  const [one, two] = sealers() as [GateParts, GateParts];
  let writing = true;
  const stream = Array.from({ length: 8 }, async () => {
    while (writing) await write(one, { more: 1 });
  });
  for (let round = 0; round < 10; round += 1) {
    await Promise.all(Array.from({ length: 5 }, (_, n) => write(one, { round, n })));
    await sealProject(two, t.projectId);
    const own = (await sealedData()).filter(({ data }) => data.round === round);
    expect(own).toHaveLength(5);
  }
  writing = false;
  await Promise.all(stream);
});

test('two gates together seal more events than one seal holds', async () => {
  const gates = sealers();
  for (let batch = 0; batch < 10; batch += 1) {
    await t.gate.storage.transaction(async (tx) => {
      for (let n = 0; n < 150; n += 1) await record(t.gate, tx, { batch, n });
    });
  }
  const sealed = await Promise.all([...gates, ...gates].map((gate) => sealProject(gate, t.projectId)));
  expect(sealed.reduce((sum, count) => sum + count)).toBeGreaterThanOrEqual(1500);
  await expectWhole(1500);
});

test('a seal that fails to commit leaves nothing behind and can be repeated', async () => {
  const [one] = sealers() as [GateParts];
  await write(one, { n: 1 });
  const failing: GateParts = {
    ...one,
    storage: {
      ...one.storage,
      transaction: (work, options) =>
        one.storage.transaction(async (tx) => {
          await work(tx);
          throw new Error('cut off');
        }, options),
    },
  };
  await expect(sealProject(failing, t.projectId)).rejects.toThrow('cut off');
  expect(await sealedData()).toEqual([]);
  await sealProject(one, t.projectId);
  await expectWhole(1);
});

/** A bus that never delivers anything. */
const DEAF: Bus = { ...ALONE, shared: true };

test('a gate seals the events of a gate that died, and notifies its own listeners', async () => {
  const [dead, living] = sealers() as [GateParts, GateParts];
  const errors: unknown[] = [];
  const sealer = new Sealer(living, { onError: (error) => errors.push(error), bus: DEAF });
  await sealer.start();
  const told: string[] = [];
  sealer.onSealed((projectId) => told.push(projectId));
  await sealer.sealNow(t.projectId);
  told.length = 0;
  try {
    await write(dead, { n: 1 });
    await expect.poll(() => other.read.countUnsealedEvents(t.projectId)).toBe(0);
    await expect.poll(() => told).toContain(t.projectId);
  } finally {
    await sealer.close();
  }
  expect(errors).toEqual([]);
  await expectWhole(1);
});

test('a gate learns of another gate’s seals even when the bus delivers nothing', async () => {
  const [one, two] = sealers() as [GateParts, GateParts];
  const sealer = new Sealer(two, { onError: (error) => expect.fail(String(error)), bus: DEAF });
  await sealer.start();
  const told: string[] = [];
  sealer.onSealed((projectId) => told.push(projectId));
  try {
    await write(one, { n: 1 });
    await sealProject(one, t.projectId);
    await expect.poll(() => told).toContain(t.projectId);
  } finally {
    await sealer.close();
  }
});

import { setImmediate as nextTurn } from 'node:timers/promises';
import { verifyAuditHead } from '@permitry/protocol';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { recordEvent } from '../../src/gate/audit/record-event.ts';
import { sealProject } from '../../src/gate/audit/seal.ts';
import { Sealer } from '../../src/gate/audit/sealer.ts';
import { verifyAudit } from '../../src/gate/audit/verify-audit.ts';
import type { GateParts } from '../../src/open-gate.ts';
import { openSqliteStorage } from '../../src/storage/sqlite/open-sqlite-storage.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import { openTestLedger, PERSON, type TestLedger } from './open-ledger.ts';

let t: TestLedger;
beforeEach(async () => {
  t = await openTestLedger();
});
afterEach(async () => {
  await t.close();
});

async function seqs(): Promise<number[]> {
  return (await t.events(t.projectId)).map((event) => event.seq);
}

function upTo(count: number): number[] {
  return Array.from({ length: count }, (_, n) => n + 1);
}

test('an event is sealed automatically soon after its commit', async () => {
  await t.record();
  await expect.poll(() => t.gate.storage.read.countUnsealedEvents(t.projectId)).toBe(0);
  expect(await t.firstBad()).toBeUndefined();
});

test('an event of a transaction that is rolled back leaves no trace and no gap', async () => {
  await t.gate.ledger.sealNow(t.projectId);
  const before = (await seqs()).length;
  const undone = t.gate.storage.transaction(async (tx) => {
    await recordEvent(t.gate, tx, {
      projectId: t.projectId,
      type: 'access.refused',
      occurredAt: t.clock.now(),
      actor: PERSON,
    });
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  await t.record();
  expect(await seqs()).toEqual(upTo(before + 1));
});

test('events are sealed in the order in which they were committed', async () => {
  for (let n = 0; n < 20; n += 1) await t.record({ data: { n } });
  const told = (await t.events(t.projectId, 'access.refused')).map((event) => event.data.n);
  expect(told).toEqual(upTo(20).map((n) => n - 1));
});

test('forty parallel writers, with constant sealing, make one chain without a gap or a fork', async () => {
  const before = (await t.events(t.projectId)).length;
  let writing = true;
  const sealing = (async () => {
    while (writing) {
      await t.gate.ledger.sealNow(t.projectId);
      await nextTurn();
    }
  })();
  const writers = Array.from({ length: 40 }, async (_, writer) => {
    for (let n = 0; n < 20; n += 1) await t.record({ data: { writer, n } });
  });
  await Promise.all(writers);
  writing = false;
  await sealing;

  const events = await t.events(t.projectId);
  expect(events.map((event) => event.seq)).toEqual(upTo(before + 800));
  for (let writer = 0; writer < 40; writer += 1) {
    const own = events.filter((event) => event.data.writer === writer).map((event) => event.data.n);
    expect(own).toEqual(upTo(20).map((n) => n - 1));
  }
  expect(await verifyAudit(t.gate, OPERATOR, t.projectId)).toMatchObject({
    valid: true,
    count: before + 800,
    sealedThrough: before + 800,
    unsealed: 0,
  });
});

test('two gates on one database that seal at the same time make one chain', async () => {
  const other = await openSqliteStorage({ directory: t.dataDir });
  const { clock, tokens, storage } = t.gate;
  const gates = [storage, other].map((own) => ({ clock, tokens, storage: own }));
  const before = (await t.events(t.projectId)).length;
  try {
    for (let round = 0; round < 10; round += 1) {
      await Promise.all(upTo(30).map((n) => t.record({ data: { round, n } })));
      const sealed = await Promise.all([...gates, ...gates].map((gate) => sealProject(gate, t.projectId)));
      expect(sealed.reduce((sum, count) => sum + count)).toBeLessThanOrEqual(30);
    }
  } finally {
    await other.close();
  }
  expect(await seqs()).toEqual(upTo(before + 300));
  expect(await t.firstBad()).toBeUndefined();
});

test('one call seals more events than fit in one batch', async () => {
  const before = (await t.events(t.projectId)).length;
  await t.recordSealed(1_300);
  expect(await t.gate.storage.read.countUnsealedEvents(t.projectId)).toBe(0);
  expect((await t.gate.storage.read.findChainHead(t.projectId))?.seq).toBe(before + 1_300);
  expect(await t.firstBad()).toBeUndefined();
});

test('the head is signed with its project, sequence number, hash and time', async () => {
  await t.recordSealed(3);
  const head = await t.gate.storage.read.findChainHead(t.projectId);
  const last = (await t.events(t.projectId)).at(-1);
  expect(head).toMatchObject({ seq: last?.seq, hash: last?.hash, sealedAt: t.clock.now() });
  const verified = await verifyAuditHead(head?.jws ?? '', {
    jwks: { keys: [...t.gate.tokens.signer.publicKeys()] },
  });
  expect(verified).toEqual({
    ok: true,
    claims: {
      iss: t.gate.issuer,
      project: t.projectId,
      seq: last?.seq,
      hash: last?.hash,
      iat: Math.floor(Date.parse(t.clock.now()) / 1000),
    },
  });
});

test('the chain stores people’s names as salted digests, but the name of an agent in clear', async () => {
  const data = { reason: 'Ann asked me to', note: 'public' };
  await t.record({ type: 'intent.denied', actor: PERSON, data, personal: ['/data/reason'] });
  await t.record({ type: 'intent.created', actor: { type: 'agent', id: 'agt_1', display: 'payments bot' } });
  const [denied] = await t.events(t.projectId, 'intent.denied');
  const [created] = await t.events(t.projectId, 'intent.created');
  expect(denied?.actor.display).toBe(PERSON.display);
  expect(denied?.data).toEqual(data);
  expect(Object.keys(denied?.commitments ?? {}).sort()).toEqual(['/actor/display', '/data/reason']);
  expect(created?.commitments).toEqual({});
});

test('a missing text cannot be marked as personal', async () => {
  await expect(t.record({ data: {}, personal: ['/data/reason'] })).rejects.toThrow('/data/reason');
  await expect(t.record({ data: { reason: 5 }, personal: ['/data/reason'] })).rejects.toThrow('/data/reason');
  await t.record({ data: { reason: null }, personal: ['/data/reason'] });
});

/** The real storage, whose writes fail while `broken` is set. */
function failing(storage: GateParts['storage']): {
  storage: GateParts['storage'];
  attempts: number;
  broken: boolean;
} {
  const wrapped: ReturnType<typeof failing> = {
    attempts: 0,
    broken: true,
    storage: {
      ...storage,
      transaction: (work) => {
        wrapped.attempts += 1;
        return wrapped.broken ? Promise.reject(new Error('disk full')) : storage.transaction(work);
      },
    },
  };
  return wrapped;
}

test('a sealer that cannot write reports it, retries, and seals when it can', async () => {
  await t.sealer.close();
  await t.record();
  const disk = failing(t.gate.storage);
  const errors: unknown[] = [];
  const sealer = new Sealer(
    { ...t.gate, storage: disk.storage },
    { onError: (error) => errors.push(error), delayMs: 1 },
  );
  await expect(sealer.sealNow(t.projectId)).rejects.toThrow('disk full');
  await expect.poll(() => disk.attempts).toBeGreaterThanOrEqual(4);
  expect(String(errors[0])).toContain('disk full');
  disk.broken = false;
  await expect.poll(() => t.gate.storage.read.countUnsealedEvents(t.projectId)).toBe(0);
  await sealer.close();
  expect(await t.firstBad()).toBeUndefined();
});

test('events that one process left unsealed are sealed when the next one starts', async () => {
  await t.sealer.close();
  await t.record();
  await t.record();
  expect(await t.gate.storage.read.countUnsealedEvents(t.projectId)).toBe(2);
  const next = new Sealer(t.gate, { onError: (error) => expect.fail(String(error)), delayMs: 1 });
  await next.start();
  await expect.poll(() => t.gate.storage.read.countUnsealedEvents(t.projectId)).toBe(0);
  await next.close();
});

test('closing a sealer seals the remaining events, and reports a failure instead of throwing', async () => {
  await t.sealer.close();
  const disk = failing(t.gate.storage);
  const errors: unknown[] = [];
  const sealer = new Sealer(
    { ...t.gate, storage: disk.storage },
    { onError: (error) => errors.push(error), delayMs: 60_000 },
  );
  await t.record();
  sealer.sealSoon(t.projectId);
  await sealer.close();
  expect(errors.map(String)).toEqual(['Error: disk full']);

  const last = new Sealer(t.gate, { onError: (error) => errors.push(error), delayMs: 60_000 });
  last.sealSoon(t.projectId);
  await last.close();
  expect(errors).toHaveLength(1);
  expect(await t.gate.storage.read.countUnsealedEvents(t.projectId)).toBe(0);
});

test('a hundred simultaneous callers share one sealing run', async () => {
  await t.sealer.close();
  const disk = failing(t.gate.storage);
  disk.broken = false;
  const sealer = new Sealer({ ...t.gate, storage: disk.storage }, { onError: () => undefined });
  await t.record();
  await Promise.all(upTo(100).map(() => sealer.sealNow(t.projectId)));
  expect(disk.attempts).toBe(1);
  await sealer.close();
});

/** Several gates share a rate limit through one PostgreSQL: how much they accept together, however the load is spread. */
import { setImmediate as endOfTurn } from 'node:timers/promises';
import type { FastifyReply } from 'fastify';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { BudgetBook } from '../../src/gate/limits/budget-book.ts';
import { Limits } from '../../src/http/limits/limits.ts';
import { SharedRateLimiter } from '../../src/http/limits/shared-rate-limiter.ts';
import { PostgresBudgets } from '../../src/storage/postgres/budgets.ts';
import { Pool } from '../../src/storage/postgres/connections/pool.ts';
import { Servers } from '../../src/storage/postgres/connections/servers.ts';
import { openTestDatabase, type TestDatabase } from '../fixtures/postgres/open-test-database.ts';
import { PATIENCE } from '../fixtures/postgres/patience.ts';

const NOON = Date.parse('2026-11-20T12:00:00.000Z');
const LIMIT = 10_000;

let database: TestDatabase;
let now: number;
let pools: Pool[];
let limiters: SharedRateLimiter[];

beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.drop());
beforeEach(() => {
  now = NOON;
  pools = [];
  limiters = [];
});
afterEach(async () => {
  await Promise.all(limiters.map((limiter) => limiter.close()));
  await Promise.all(pools.map((pool) => pool.close()));
  await database.clear();
});

function openBook(): BudgetBook {
  const pool = new Pool(new Servers(database.url, PATIENCE.session), 1, PATIENCE.answerTimeoutMs);
  pools.push(pool);
  return new PostgresBudgets(pool, () => now);
}

/** A gate's limiter; its clock may differ from the database's. */
function openLimiter(book = openBook(), aheadMs = 0): SharedRateLimiter {
  const limiter = new SharedRateLimiter(book, () => now + aheadMs, 'test');
  limiters.push(limiter);
  return limiter;
}

async function accepted(limiter: SharedRateLimiter, requests: number, limit = LIMIT): Promise<number> {
  const states = await Promise.all(Array.from({ length: requests }, () => limiter.take('a', limit)));
  return states.filter((state) => state.accepted).length;
}

/** In each round of 1 ms, sends each gate as many requests as `demand` says. Returns how many were accepted in total. */
async function serve(rounds: number, demand: (round: number) => readonly number[]): Promise<number> {
  let total = 0;
  for (let round = 0; round < rounds; round += 1) {
    const counts = demand(round).map((requests, gate) => {
      const limiter = limiters[gate];
      return limiter ? accepted(limiter, requests) : 0;
    });
    for (const count of await Promise.all(counts)) total += count;
    now += 1;
  }
  return total;
}

describe('gates that share a rate limit', () => {
  it('accept exactly the limit when together they get more requests', async () => {
    openLimiter();
    openLimiter();
    expect(await serve(400, () => [20, 20])).toBe(LIMIT);
  });

  it('accept exactly the limit under uneven load, with few queries to the database', async () => {
    for (let gate = 0; gate < 3; gate += 1) openLimiter();
    expect(await serve(400, () => [30, 8, 1])).toBe(LIMIT);
    const asks = limiters.reduce((sum, { counts }) => sum + counts.asks, 0);
    expect(asks).toBeLessThan(LIMIT / 10);
  });

  it('accept exactly the limit when requests come in bursts at different gates', async () => {
    for (let gate = 0; gate < 3; gate += 1) openLimiter();
    const bursts = (round: number): number[] =>
      [0, 1, 2].map((gate) => (round % 30 === gate * 10 ? 900 : round % 7 === gate ? 3 : 0));
    expect(await serve(400, bursts)).toBe(LIMIT);
  });

  it('accept at most the limit when one goes quiet, and waste nothing once it has given back its share', async () => {
    const silent = openLimiter();
    const asked = openLimiter();
    const first = await accepted(silent, 1000);
    const then = await accepted(asked, LIMIT);
    expect(first + then).toBeLessThanOrEqual(LIMIT);
    expect(first + then).toBeGreaterThanOrEqual(LIMIT * 0.98);
    now += 1000;
    silent.giveBackIdle();
    await expect
      .poll(async () => (await openBook().take([standing('test a')])).grants.get('test a')?.taken)
      .toBe(first + then);
    expect(await accepted(asked, 1000)).toBe(LIMIT - first - then);
    expect(await accepted(silent, 1000)).toBe(0);
  });

  it.each([7, 250, 1000])('accept exactly a limit of %i in a race for several buckets', async (limit) => {
    const gates = [0, 1, 2, 3].map(() => openLimiter());
    const counts = new Map<string, number>();
    // Each gate gets more requests than each bucket allows, and keeps getting them while its queries run.
    const requests = gates.flatMap((gate) =>
      ['a', 'b', 'c'].flatMap((bucket) =>
        Array.from({ length: limit + 50 }, (_, n) => ({ gate, bucket, n })),
      ),
    );
    await Promise.all(
      requests.map(async ({ gate, bucket, n }) => {
        for (let turn = n % 60; turn > 0; turn -= 1) await endOfTurn();
        const { accepted } = await gate.take(bucket, limit);
        if (accepted) counts.set(bucket, (counts.get(bucket) ?? 0) + 1);
      }),
    );
    expect(Object.fromEntries(counts)).toEqual({ a: limit, b: limit, c: limit });
  });

  it('never deadlock, whatever the order of their buckets', async () => {
    const [a, b] = [openLimiter(), openLimiter()];
    const buckets = Array.from({ length: 300 }, (_, n) => `bucket ${n}`);
    for (let round = 1; round <= 10; round += 1) {
      const states = await Promise.all([
        ...buckets.map((bucket) => a.take(bucket, 20)),
        ...buckets.toReversed().map((bucket) => b.take(bucket, 20)),
      ]);
      expect(states.every((state) => state.accepted)).toBe(true);
    }
    expect((await a.take('bucket 7', 20)).accepted).toBe(false);
  });

  it('send one query for all requests of a turn, and accept the earliest ones', async () => {
    const a = openLimiter();
    const states = await Promise.all(
      Array.from({ length: 60 }, (_, n) => a.take(`bucket ${n % 3}`, n % 3 === 0 ? 5 : 50)),
    );
    expect(a.counts).toMatchObject({ asks: 1, granted: 45 });
    const ofFirst = states.filter((_, n) => n % 3 === 0);
    expect(ofFirst.map((state) => state.accepted)).toEqual([
      ...Array(5).fill(true),
      ...Array(15).fill(false),
    ]);
  });

  it('do not ask again about an empty bucket until its limit is raised or the minute ends', async () => {
    const a = openLimiter();
    expect(await accepted(a, 20, 5)).toBe(5);
    expect(await accepted(a, 20, 5)).toBe(0);
    expect(a.counts.asks).toBe(1);
    expect(await accepted(a, 20, 8)).toBe(3);
    now += 60_000;
    expect(await accepted(a, 20, 5)).toBe(5);
    expect(a.counts.asks).toBe(3);
  });

  it('accept exactly a small limit between them', async () => {
    for (let gate = 0; gate < 3; gate += 1) openLimiter();
    const counts = await Promise.all(limiters.map((limiter) => accepted(limiter, 20, 7)));
    expect(counts.reduce((sum, count) => sum + count)).toBe(7);
  });

  it('start over with the minute, and carry nothing over', async () => {
    openLimiter();
    const b = openLimiter();
    now = NOON + 59_930;
    await serve(70, () => [50, 50]);
    expect(now).toBe(NOON + 60_000);
    expect(await serve(200, () => [60, 60])).toBe(LIMIT);
    expect(await b.take('a', LIMIT)).toMatchObject({ accepted: false, remaining: 0, resetIn: 60 });
  });

  it('never use a share that is left over from the previous minute', async () => {
    const a = openLimiter();
    await a.take('a', LIMIT);
    now += 60_000;
    expect(await accepted(a, LIMIT + 200)).toBe(LIMIT);
  });

  it('drop their share when an answer shows that its minute is over', async () => {
    let behindMs = 0;
    const a = new SharedRateLimiter(openBook(), () => now - behindMs, 'test');
    limiters.push(a);
    await a.take('a', LIMIT);
    const { granted } = a.counts;
    now += 60_000;
    behindMs = 60_000;
    // A gate that uses more than half of its share asks the database for more, and the answer names the minute.
    await accepted(a, 30);
    await expect.poll(() => a.counts.granted).toBeGreaterThan(granted);
    expect(await accepted(a, LIMIT + 200)).toBe(LIMIT);
  });

  it('keep their share when the new minute has begun in the database but not yet on their own clock', async () => {
    let behindMs = 0;
    const a = new SharedRateLimiter(openBook(), () => now - behindMs, 'test');
    limiters.push(a);
    await a.take('a', LIMIT);
    behindMs = 5;
    expect(await a.take('a', LIMIT)).toMatchObject({ accepted: true, resetAt: NOON / 1000 + 60 });
    expect(a.counts.asks).toBe(1);
  });

  it('keep their buckets apart from each other and from those of other limiters', async () => {
    const [a, b] = [openLimiter(), openLimiter()];
    expect(await accepted(a, 5, 5)).toBe(5);
    expect(await b.take('b', 5)).toMatchObject({ accepted: true, remaining: 4 });
    const other = new SharedRateLimiter(openBook(), () => now, 'other');
    limiters.push(other);
    expect(await other.take('a', 5)).toMatchObject({ accepted: true, remaining: 4 });
  });

  it.each([45_000, -45_000, 3_600_000])(
    'follow the database’s clock when their own is %i ms off',
    async (off) => {
      now = NOON + 20_000;
      openLimiter();
      const b = openLimiter(openBook(), off);
      expect(await serve(200, () => [60, 60])).toBe(LIMIT);
      expect(await b.take('a', LIMIT)).toMatchObject({
        accepted: false,
        resetAt: NOON / 1000 + 60,
        resetIn: 40,
      });
      now = NOON + 61_000;
      expect(await serve(200, () => [60, 60])).toBe(LIMIT);
    },
  );

  it('report the remaining requests to within 2 % of the limit', async () => {
    const [a, b] = [openLimiter(), openLimiter()];
    let used = 0;
    for (let round = 0; round < 300; round += 1) {
      used += (await accepted(a, 12)) + (await accepted(b, 12));
      now += 5;
      const { remaining } = await a.take('a', LIMIT);
      used += 1;
      expect(remaining).toBeLessThanOrEqual(LIMIT - used + LIMIT * 0.02);
      expect(remaining).toBeGreaterThanOrEqual(LIMIT - used - LIMIT * 0.02);
    }
  });

  it('peek without counting', async () => {
    const a = openLimiter();
    expect(a.peek('a', 5)).toMatchObject({ accepted: true, remaining: 5 });
    await a.take('a', 5);
    expect(a.peek('a', 5).remaining).toBe(4);
    expect(a.peek('a', 5).remaining).toBe(4);
    expect(a.peek('b', 5).remaining).toBe(5);
  });

  it('give back their share when they close', async () => {
    const [a, b] = [openLimiter(), openLimiter()];
    expect(await accepted(a, 100)).toBe(100);
    await a.close();
    expect(await accepted(b, LIMIT)).toBe(LIMIT - 100);
  });

  it('apply a lowered or raised limit at once', async () => {
    const [a, b] = [openLimiter(), openLimiter()];
    expect(await accepted(a, 100, 100)).toBe(100);
    expect(await accepted(b, 10, 50)).toBe(0);
    expect(await accepted(b, 200, 150)).toBe(50);
  });

  it('keep a bounded number of buckets, and any more share one', async () => {
    const a = openLimiter();
    await Promise.all(Array.from({ length: 100_000 }, (_, index) => a.take(`address ${index}`, 1)));
    expect((await a.take('one more', 1)).accepted).toBe(true);
    expect((await a.take('yet another', 1)).accepted).toBe(false);
    expect((await a.take('address 5', 1)).accepted).toBe(false);
  });

  it('give a share back only to the minute it was taken from', async () => {
    const book = openBook();
    await book.take([{ ...standing('a'), want: 10 }]);
    now += 60_000;
    await book.take([{ ...standing('a'), want: 10 }]);
    const late = await book.take([{ ...standing('a'), want: -5, minute: NOON / 60_000 }]);
    expect(late.grants.size).toBe(0);
    expect((await book.take([standing('a')])).grants.get('a')).toEqual({ granted: 0, taken: 10 });
  });

  it('forget minutes that are over', async () => {
    const a = openLimiter();
    await a.take('a', 5);
    now += 3 * 60_000;
    await a.take('b', 5);
    const book = openBook();
    await expect
      .poll(async () => {
        now = NOON;
        const { grants } = await book.take([standing('test a')]);
        return grants.get('test a')?.taken;
      })
      .toBe(0);
  });
});

describe('while the database is away', () => {
  it('a gate accepts only requests that its share still covers', async () => {
    const pool = new Pool(new Servers(database.url, PATIENCE.session), 1, PATIENCE.answerTimeoutMs);
    const a = openLimiter(new PostgresBudgets(pool, () => now));
    await a.take('a', LIMIT);
    await pool.close();
    expect(await accepted(a, 50)).toBe(50);
    const refused = { code: 'service_unavailable' };
    await expect(a.take('a', LIMIT)).rejects.toMatchObject(refused);
    await expect(a.take('b', LIMIT)).rejects.toMatchObject(refused);
    expect(await accepted(openLimiter(), LIMIT)).toBe(LIMIT - 51);
  });

  it('a lost answer wastes its share, and grants nothing twice', async () => {
    const book = openBook();
    let lose = false;
    const leaky: BudgetBook = {
      async take(asks) {
        const answer = await book.take(asks);
        if (lose) throw new Error('lost');
        return answer;
      },
    };
    const a = openLimiter(leaky);
    const b = openLimiter();
    expect(await accepted(a, 100)).toBe(100);
    now += 2000;
    lose = true;
    a.giveBackIdle();
    await expect(Promise.all(Array.from({ length: 100 }, () => a.take('a', LIMIT)))).rejects.toThrow('lost');
    lose = false;
    const total = 100 + (await accepted(a, 3000)) + (await accepted(b, LIMIT));
    expect(total).toBeLessThanOrEqual(LIMIT);
    expect(total).toBeGreaterThanOrEqual(LIMIT * 0.98);
  });
});

it('wrong keys from one address are counted together across all gates', async () => {
  const gates = [0, 1, 2].map(() => new Limits(LIMIT, () => now, openBook()));
  const reply = { header: () => reply } as unknown as FastifyReply;
  let refused = 0;
  await Promise.all(
    Array.from({ length: 300 }, async (_, n) => {
      await Promise.resolve(gates[n % 3]?.countFailedKey(reply, '203.0.113.9')).catch((error) => {
        expect(error).toMatchObject({ code: 'rate_limited' });
        refused += 1;
      });
    }),
  );
  expect(refused).toBe(200);
  await Promise.all(gates.map((limits) => limits.close()));
});

function standing(bucket: string) {
  return { bucket, limit: LIMIT, want: 0, minute: null };
}

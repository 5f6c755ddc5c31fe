/** Guarded transactions are committed in groups on PostgreSQL. What happens to one must not affect another. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Transaction } from '../../src/storage/nouns.ts';
import { openPostgresStorage } from '../../src/storage/postgres/open-postgres-storage.ts';
import type { OpenStorage } from '../../src/storage/storage.ts';
import { withClient } from '../fixtures/postgres/create-template.ts';
import { openTestDatabase, type TestDatabase } from '../fixtures/postgres/open-test-database.ts';
import { PATIENCE } from '../fixtures/postgres/patience.ts';
import { anAgent, anEvent, anIntent, aProject, at, aUser } from './conformance/samples.ts';
import { aDelivery, aWebhook } from './conformance/webhooks.ts';

let database: TestDatabase;
let storage: OpenStorage;

beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(async () => {
  await storage.close();
  await database.drop();
});
beforeEach(async () => {
  await storage?.close();
  await database.clear();
  storage = await openPostgresStorage({ url: database.url, ...PATIENCE });
  await storage.transaction((tx) => tx.insertProject(aProject()));
});

const guarded = <T>(work: (tx: Transaction) => Promise<T>) => storage.transaction(work, { guarded: true });
const indexes = (count: number) => Array.from({ length: count }, (_, index) => index);
const create = (id: string) => async (tx: Transaction) => {
  await tx.isAtRevision('prj_1', 1);
  await tx.insertIntent(anIntent(id));
  await tx.insertEvent(anEvent(`evt_${id}`, { intentId: id }));
  return id;
};
const isThere = async (id: string) => (await storage.read.findIntent(id)) !== undefined;
const countEvents = () => storage.read.countUnsealedEvents('prj_1');

describe('the transactions of a group', () => {
  it('are committed together, each with its own result, and their equal statements are merged', async () => {
    // Runs twice, because the first run also reads the types from the server.
    for (const round of ['a', 'b']) {
      const before = storage.stats();
      const ids = indexes(40).map((index) => `int_${round}${index}`);
      expect(await Promise.all(ids.map((id) => guarded(create(id))))).toEqual(ids);
      const after = storage.stats();
      expect(after.commits - before.commits).toBeLessThan(4);
      if (round === 'b') expect(after.statementsWritten - before.statementsWritten).toBeLessThan(25);
      expect(await Promise.all(ids.map(isThere))).not.toContain(false);
    }
    expect(await countEvents()).toBe(80);
  });

  it('get from shared reads what each would read alone', async () => {
    await Promise.all(indexes(12).map((index) => guarded(create(`int_${index}`))));
    let runs = 0;
    const before = storage.stats();
    const works = indexes(12).map((index) =>
      guarded(async (tx) => {
        runs += 1;
        const found = await tx.findIntent(`int_${index}`);
        await tx.insertEvent(anEvent(`evt_r${index}`, { intentId: found?.id ?? null }));
      }),
    );
    await Promise.all(works);
    expect(runs).toBe(12);
    expect(storage.stats().commits - before.commits).toBeLessThan(4);
  });

  it('are not undone by a delivery that is the first of its intent, nor by one that another gate sends', async () => {
    await storage.transaction((tx) => tx.insertWebhook(aWebhook('whk_1')));
    const before = storage.stats().failedGroups;
    const works = indexes(10).map((index) => guarded(create(`int_${index}`)));
    const first = guarded((tx) => tx.insertDelivery(aDelivery('dlv_1', { intentId: 'int_9' })));
    const taken = guarded((tx) => tx.leaseDelivery(99, 'late', at(1), at(9)));
    await Promise.all([...works, first]);
    expect(await taken).toBe(false);
    expect(storage.stats().failedGroups).toBe(before);
  });

  it('keep every text unchanged, however many are sent at once', async () => {
    const texts = [
      '',
      '\u001f',
      'a\u001fb',
      '\u001e',
      'a\u001e',
      'NULL',
      '"',
      '\\',
      '{a,b}',
      "it's",
      'a\nb',
      '👩‍👩‍👧‍👦',
      '\\"',
      ',',
      ' ',
    ];
    await Promise.all(indexes(2).map((index) => guarded((tx) => tx.insertUser(aUser(`usr_${index}`)))));
    await Promise.all(
      texts.map((name, index) => guarded((tx) => tx.insertUser(aUser(`usr_t${index}`, { name })))),
    );
    const found = await Promise.all(texts.map((_, index) => storage.read.findUser(`usr_t${index}`)));
    expect(found.map((user) => user?.name)).toEqual(texts);
  });

  it('send long texts in statements of their own, in one transaction', async () => {
    const params = { text: 'long '.repeat(10_000) };
    const insert = (id: string) => guarded((tx) => tx.insertIntent(anIntent(id, { params })));
    const before = storage.stats();
    await Promise.all(indexes(8).map((index) => insert(`int_${index}`)));
    const after = storage.stats();
    expect(after.commits - before.commits).toBe(1);
    expect(after.statementsWritten - before.statementsWritten).toBe(10);
    expect((await storage.read.findIntent('int_7'))?.params).toEqual(params);
  });

  it('change their own rows by one shared statement', async () => {
    await Promise.all(indexes(12).map((index) => guarded(create(`int_${index}`))));
    const expire = (index: number) => guarded((tx) => tx.expireIntent(`int_${index}`, at(99_999)));
    // The first run also reads the types from the server.
    expect(await Promise.all(indexes(2).map(expire))).toEqual([true, true]);
    const before = storage.stats().statementsWritten;
    expect(await Promise.all([2, 3, 4, 5, 6, 7].map(expire))).toEqual(Array(6).fill(true));
    // Three statements: begin, the change, and commit.
    expect(storage.stats().statementsWritten - before).toBe(3);
  });

  it('each get their own result when some find their row changed, or no row', async () => {
    await Promise.all(indexes(12).map((index) => guarded(create(`int_${index}`))));
    const expire = (index: number) => guarded((tx) => tx.expireIntent(`int_${index}`, at(99_999)));
    await Promise.all(indexes(2).map(expire));
    const before = storage.stats().failedGroups;
    const answers = await Promise.all([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 99].map(expire));
    expect(answers).toEqual([false, false, ...Array(8).fill(true), false]);
    // The database reports whose rows were missing, so the other transactions run together once more.
    expect(storage.stats().failedGroups - before).toBe(1);
    const twice = await Promise.all([10, 11, 11].map(expire));
    expect(twice.toSorted()).toEqual([false, true, true]);
  });

  it('keep the order of statements that each sends without waiting', async () => {
    await guarded(create('int_0'));
    const works = indexes(6).map((index) =>
      guarded(async (tx) => {
        // Some transactions send first what others send second.
        if (index % 2 === 0) return tx.insertEvent(anEvent(`evt_a${index}`, { intentId: 'int_0' }));
        await Promise.all([
          tx.insertIntent(anIntent(`int_a${index}`)),
          tx.insertEvent(anEvent(`evt_a${index}`, { intentId: `int_a${index}` })),
        ]);
      }),
    );
    await Promise.all(works);
    const unlinked = await withClient(database.url, (client) =>
      client.query('select id from events where intent_id is not null and intent_key is null'),
    );
    expect(unlinked.rows).toEqual([]);
    expect(await countEvents()).toBe(7);
  });

  it('are not affected by one that breaks a unique key, a check of the database, or a rule of its own', async () => {
    await guarded(create('int_taken'));
    const bad = {
      2: (tx: Transaction) => create('int_taken')(tx),
      7: async (tx: Transaction) => {
        await create('int_7')(tx);
        await tx.setAgentStatus('agt_1', ['active'], 'no such status' as 'paused');
        throw new Error('not reached, or the check is gone');
      },
      11: async (tx: Transaction) => {
        await create('int_11')(tx);
        throw new Error('changed its mind');
      },
      13: async () => {
        throw new Error('refused at once');
      },
    };
    await guarded((tx) => tx.insertAgent(anAgent('agt_1')));
    for (const round of [1, 2]) {
      const works = indexes(20).map((index) =>
        guarded(bad[index as keyof typeof bad] ?? create(`int_${round}_${index}`)),
      );
      const settled = await Promise.allSettled(works);
      const refused = settled.flatMap((one, index) => (one.status === 'rejected' ? [index] : []));
      expect(refused).toEqual([2, 7, 11, 13]);
      expect(settled[2]).toMatchObject({ reason: { code: 'conflict' } });
      expect(settled[7]).toMatchObject({ reason: { code: '23514' } });
      expect(settled[11]).toMatchObject({ reason: { message: 'changed its mind' } });
    }
    expect(await isThere('int_7')).toBe(false);
    expect(await isThere('int_11')).toBe(false);
    expect(await countEvents()).toBe(1 + 2 * 16);
  });

  it('all commit, although half of fifty hit the same unique key', async () => {
    await guarded(create('int_taken'));
    const works = indexes(50).map((index) => guarded(create(index % 2 ? 'int_taken' : `int_${index}`)));
    const settled = await Promise.allSettled(works);
    expect(settled.map(({ status }) => status === 'fulfilled')).toEqual(
      indexes(50).map((index) => index % 2 === 0),
    );
    expect(await countEvents()).toBe(26);
  });

  it('run again when their connection is cut before the commit, and commit once', async () => {
    const effects: string[] = [];
    const works = await withClient(database.url, async (client) => {
      await client.query('begin; lock table events in share mode');
      const asked = indexes(10).map((index) =>
        guarded(async (tx) => {
          tx.afterCommit(() => effects.push(`int_${index}`));
          return create(`int_${index}`)(tx);
        }),
      );
      let cut = 0;
      while (cut === 0) {
        const { rowCount } = await client.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and application_name = 'permitry' and wait_event_type = 'Lock'`,
        );
        cut = rowCount ?? 0;
      }
      await client.query('commit');
      return asked;
    });
    await Promise.all(works);
    expect(effects.toSorted()).toEqual(indexes(10).map((index) => `int_${index}`));
    expect(await countEvents()).toBe(10);
  });

  it('are refused without any effect when their final check fails', async () => {
    const late = guarded(async (tx) => {
      tx.beforeCommit(() => {
        throw new Error('too late');
      });
      return create('int_late')(tx);
    });
    const works = [guarded(create('int_1')), late, guarded(create('int_2'))];
    const settled = await Promise.allSettled(works);
    expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    await expect(late).rejects.toThrow('too late');
    expect(await isThere('int_late')).toBe(false);
    expect(await countEvents()).toBe(2);
  });

  it('wait for a lock all together, not one half after another', async () => {
    const hasty = await openPostgresStorage({
      url: database.url,
      ...PATIENCE,
      session: { lockTimeoutMs: 200 },
    });
    await withClient(database.url, async (client) => {
      await client.query('begin; lock table events in share mode');
      const works = indexes(16).map((index) => hasty.transaction(create(`int_${index}`), { guarded: true }));
      for (const one of await Promise.allSettled(works)) {
        expect(one).toMatchObject({ reason: { code: 'service_unavailable' } });
      }
      await client.query('rollback');
    });
    expect(hasty.stats().failedGroups).toBeLessThan(4);
    await hasty.close();
  });

  it('report a refusal only once the data behind it is committed', async () => {
    const first = guarded(create('int_1'));
    const second = guarded(async (tx) => {
      while (!(await tx.findIntent('int_1'))) await tx.findProject('prj_1');
      throw new Error('there is one already');
    });
    expect(await second.catch(() => isThere('int_1'))).toBe(true);
    await first;
  });

  it('run again, including refused ones, when another of them is undone', async () => {
    let runs = 0;
    const refused = guarded(async (tx) => {
      runs += 1;
      const seen = await tx.findIntent('int_gone');
      if (runs === 1 && !seen) await tx.findProject('prj_1');
      if (await tx.findIntent('int_gone')) throw new Error('there is one already');
      return 'none was there';
    });
    const undone = guarded(async (tx) => {
      await create('int_gone')(tx);
      await tx.findProject('prj_1');
      await tx.findProject('prj_1');
      throw new Error('changed its mind');
    });
    await expect(undone).rejects.toThrow('changed its mind');
    expect(await refused).toBe('none was there');
  });

  it('are not held up by one that waits for something else', async () => {
    const waited = Promise.withResolvers<void>();
    const slow = guarded(async (tx) => {
      await create('int_0')(tx);
      // A transaction must not wait for something else. One that does must still not slow others down.
      await waited.promise;
      return 'int_0';
    });
    const others = [guarded(create('int_1')), guarded(create('int_2'))];
    expect(await Promise.all(others)).toEqual(['int_1', 'int_2']);
    waited.resolve();
    expect(await slow).toBe('int_0');
    expect(await countEvents()).toBe(3);
  });

  it('refuse every statement after their end', async () => {
    let leaked: Transaction | undefined;
    await guarded(async (tx) => {
      leaked = tx;
    });
    await expect(leaked?.findProject('prj_1')).rejects.toThrow(/ended/);
    const nested = guarded(() => guarded(create('int_1')));
    await expect(nested).rejects.toThrow(/transaction inside a transaction/);
  });
});

describe('a change of the project', () => {
  it('succeeds under the constant load of two gates, and nothing is created once it was acknowledged', async () => {
    const other = await openPostgresStorage({ url: database.url, ...PATIENCE });
    let created = 0;
    const load = async (worker: number) => {
      const gate = worker % 2 ? other : storage;
      for (let n = 0; ; n++) {
        const work = async (tx: Transaction) => {
          if (!(await tx.isAtRevision('prj_1', 1))) throw new Error('the project has changed');
          await tx.insertIntent(anIntent(`int_${worker}_${n}`));
        };
        try {
          await gate.transaction(work, { guarded: true });
          created += 1;
        } catch (error) {
          expect(error).toMatchObject({ message: 'the project has changed' });
          return;
        }
      }
    };
    const workers = indexes(32).map(load);
    while (created < 200) await new Promise((resolve) => setImmediate(resolve));
    await storage.transaction(async (tx) => {
      await tx.setProjectStopped('prj_1', at(1));
      await tx.bumpProjectRevision('prj_1');
    });
    const whenAcknowledged = await countIntents();
    await Promise.all(workers);
    await other.close();
    expect(whenAcknowledged).toBe(created);
    expect(await countIntents()).toBe(created);
  });
});

function countIntents(): Promise<number> {
  return withClient(database.url, async (client) => {
    const { rows } = await client.query<{ count: string }>('select count(*) from intents');
    return Number(rows[0]?.count);
  });
}

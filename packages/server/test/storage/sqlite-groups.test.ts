/** What happens to transactions that share a group when some of them fail. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import type { Transaction } from '../../src/storage/nouns.ts';
import { openDatabase } from '../../src/storage/sqlite/open-database.ts';
import { createSqliteStorage } from '../../src/storage/sqlite/open-sqlite-storage.ts';
import type { OpenStorage } from '../../src/storage/storage.ts';
import { putMigratedDatabase } from '../fixtures/migrated-database.ts';
import { runParameters } from '../model/run-parameters.ts';
import { anAgent, anIntent, aProject } from './conformance/samples.ts';

let directory: string;
let storage: OpenStorage;
let writer: DatabaseSync;
let reader: DatabaseSync;

async function openFresh(): Promise<void> {
  directory = mkdtempSync(join(tmpdir(), 'permitry-groups-'));
  putMigratedDatabase(directory);
  const connections = openDatabase(directory);
  ({ writer, reader } = connections);
  storage = createSqliteStorage(connections);
  await storage.transaction(async (tx) => {
    await tx.insertProject(aProject());
    await tx.insertAgent(anAgent('agt_taken'));
  });
}

async function closeAndRemove(): Promise<void> {
  await storage.close();
  rmSync(directory, { recursive: true, force: true });
}

beforeEach(openFresh);
afterEach(closeAndRemove);

async function revision(tx: Pick<Transaction, 'findProject'>): Promise<number> {
  return (await tx.findProject('prj_1'))?.revision ?? 0;
}

async function agents(): Promise<string[]> {
  const found = await storage.read.listAgents('prj_1', { limit: 1000 });
  return found.map(({ id }) => id).toSorted();
}

const CHANGES = ['grow', 'look', 'insert', 'insert shared 1', 'insert shared 2', 'change nothing'] as const;
const FAILURES = ['throw', 'insert taken', 'insert taken and pass over it'] as const;
type Step = (typeof CHANGES)[number] | (typeof FAILURES)[number];

/** The agent that a step inserts. */
function inserted(step: Step, work: number, index: number): string {
  if (step === 'insert') return `agt_${work}_${index}`;
  return step.startsWith('insert taken') ? 'agt_taken' : step.replace('insert ', 'agt_');
}

/** The revision is cached per group, and the cached value must equal the row's. */
async function look(tx: Transaction): Promise<void> {
  const at = await revision(tx);
  const answers = await Promise.all([at - 1, at, at + 1].map((asked) => tx.isAtRevision('prj_1', asked)));
  expect(answers).toEqual([false, true, false]);
}

/** The outcome of a transaction: why it was refused, or the revision that it left. */
async function carryOut(tx: Transaction, steps: readonly Step[], work: number): Promise<string> {
  for (const [index, step] of steps.entries()) {
    if (step === 'grow') await tx.bumpProjectRevision('prj_1');
    else if (step === 'look') await look(tx);
    else if (step === 'change nothing') await tx.setAgentStatus('agt_none', ['active'], 'paused');
    else if (step === 'throw') throw new Error(`refused at revision ${await revision(tx)}`);
    else {
      const asked = tx.insertAgent(anAgent(inserted(step, work, index)));
      await (step.endsWith('pass over it') ? asked.catch(() => undefined) : asked);
    }
  }
  return `done at revision ${await revision(tx)}`;
}

interface Expected {
  outcomes: string[];
  agents: ReadonlySet<string>;
  revision: number;
}

/** Simulates the transactions one after another, each completely or not at all. */
function foresee(works: readonly (readonly Step[])[]): Expected {
  let committed = { revision: 1, agents: new Set(['agt_taken']) };
  const outcomes = works.map((steps, work) => {
    const state = { revision: committed.revision, agents: new Set(committed.agents) };
    let refusal: string | undefined;
    for (const [index, step] of steps.entries()) {
      if (step === 'grow') state.revision += 1;
      else if (step === 'throw') return `refused at revision ${state.revision}`;
      else if (step !== 'change nothing' && step !== 'look') {
        const id = inserted(step, work, index);
        if (state.agents.has(id)) {
          refusal = 'conflict';
          if (!step.endsWith('pass over it')) return refusal;
        }
        state.agents.add(id);
      }
    }
    if (refusal) return refusal;
    committed = state;
    return `done at revision ${state.revision}`;
  });
  return { outcomes, ...committed };
}

const WORKS = 100;

/** From groups in which nothing fails to groups in which almost everything does. */
const groups = fc
  .constantFrom(0, 1, 4, 30)
  .chain((weight) =>
    fc.array(
      fc.array(
        fc.oneof(
          { weight: 20, arbitrary: fc.constantFrom<Step>(...CHANGES) },
          { weight, arbitrary: fc.constantFrom<Step>(...FAILURES) },
        ),
        { maxLength: 5 },
      ),
      { minLength: WORKS, maxLength: WORKS },
    ),
  );

describe('a hundred transactions in one group, any of which may fail at any statement', () => {
  it('have the same results as when they run one by one', async () => {
    await fc.assert(
      fc.asyncProperty(groups, async (works) => {
        await closeAndRemove();
        await openFresh();
        const before = storage.stats();
        const effects: number[] = [];
        let runs = 0;
        const told = works.map(async (steps, work) => {
          const asked = storage.transaction(async (tx) => {
            runs += 1;
            tx.afterCommit(() => effects.push(work));
            return carryOut(tx, steps, work);
          });
          const outcome = await asked.catch((error) => error.code ?? error.message);
          // The revision that a transaction reports is committed.
          const seen = Number(/revision (\d+)/.exec(outcome)?.[1] ?? 0);
          expect(await revision(storage.read)).toBeGreaterThanOrEqual(outcome.startsWith('done') ? seen : 0);
          return outcome;
        });
        const expected = foresee(works);
        const outcomes = await Promise.all(told);
        expect(outcomes).toEqual(expected.outcomes);
        expect(await revision(storage.read)).toBe(expected.revision);
        expect(await agents()).toEqual([...expected.agents].toSorted());
        const done = works.flatMap((_, work) => (outcomes[work].startsWith('done') ? [work] : []));
        expect(effects).toEqual(done);
        expect(runs).toBeLessThanOrEqual(2 * WORKS);
        const after = storage.stats();
        expect(after.transactions - before.transactions).toBe(WORKS);
        expect(after.refusedTransactions - before.refusedTransactions).toBe(WORKS - done.length);
        expect(after.largestGroup).toBe(WORKS);
      }),
      runParameters(40),
    );
  });
});

describe('a transaction that is refused after it has changed something', () => {
  const insert = (id: string) => storage.transaction((tx) => tx.insertAgent(anAgent(id)));
  const fail = (id: string) =>
    storage.transaction(async (tx) => {
      await tx.insertAgent(anAgent(id));
      throw new Error('refused');
    });
  /** Writes more than fits on the disk. */
  const overfill = () =>
    storage.transaction((tx) =>
      tx.insertIntent(anIntent('int_1', { params: { text: 'x'.repeat(200_000) } })),
    );
  const outcomesOf = async (asked: Promise<unknown>[]) =>
    (await Promise.allSettled(asked)).map((one) =>
      one.status === 'rejected' ? (one.reason.code ?? one.reason.message) : 'done',
    );

  beforeEach(() => {
    writer.exec(`pragma max_page_count = ${Number(writer.prepare('pragma page_count').get()?.page_count)}`);
  });

  it('gets its own error, and the others are committed', async () => {
    expect(await outcomesOf([insert('agt_1'), fail('agt_2'), insert('agt_3')])).toEqual([
      'done',
      'refused',
      'done',
    ]);
    expect(await agents()).toEqual(['agt_1', 'agt_3', 'agt_taken']);
  });

  it('makes the others run again, and their first run can no longer write', async () => {
    const transactions: Transaction[] = [];
    const stray: Promise<unknown>[] = [];
    const asked = storage.transaction(async (tx) => {
      for (const undone of transactions) {
        const inserted = undone.insertAgent(anAgent('agt_stray'));
        stray.push(inserted);
        inserted.catch(() => {});
      }
      transactions.push(tx);
      await tx.insertAgent(anAgent('agt_1'));
    });
    expect(await outcomesOf([asked, fail('agt_2')])).toEqual(['done', 'refused']);
    expect(transactions).toHaveLength(2);
    expect(await outcomesOf(stray)).toEqual(['the transaction has ended; its methods can no longer be used']);
    expect(await agents()).toEqual(['agt_1', 'agt_taken']);
  });

  it('does not undo the committed part of its group when the database fails the rest', async () => {
    const asked = [insert('agt_1'), fail('agt_2'), insert('agt_3'), overfill()];
    expect(await outcomesOf(asked)).toEqual([
      'done',
      'refused',
      'service_unavailable',
      'service_unavailable',
    ]);
    expect(await agents()).toEqual(['agt_1', 'agt_taken']);
    expect(storage.stats()).toMatchObject({ failedGroups: 2, refusedTransactions: 1 });
  });

  it('keeps its own error when the database then fails the group, and later ones do not run', async () => {
    let runs = 0;
    const counted = () =>
      storage.transaction(async (tx) => {
        runs += 1;
        await tx.insertAgent(anAgent('agt_2'));
      });
    const asked = [fail('agt_1'), overfill(), counted(), insert('agt_3')];
    expect(await outcomesOf(asked)).toEqual(['refused', ...Array(3).fill('service_unavailable')]);
    expect(runs).toBe(0);
    expect(await agents()).toEqual(['agt_taken']);
    expect(storage.stats()).toMatchObject({ failedGroups: 1, refusedTransactions: 1 });
  });

  it('commits nothing that it changes after the database has failed it', async () => {
    const asked = storage.transaction(async (tx) => {
      await tx.insertIntent(anIntent('int_1', { params: { text: 'x'.repeat(200_000) } })).catch(() => {});
      // SQLite itself rolls back after some errors.
      if (writer.isTransaction) writer.exec('rollback');
      await tx.insertAgent(anAgent('agt_1')).catch(() => {});
    });
    expect(await outcomesOf([asked])).toEqual(['service_unavailable']);
    expect(await agents()).toEqual(['agt_taken']);
  });
});

it('transactions that arrive one by one in long turns of the event loop do not keep the first one waiting', async () => {
  let answered = 0;
  const asked: Promise<void>[] = [];
  for (let turn = 0; turn < 20; turn += 1) {
    await nextTurn();
    const busyUntil = performance.now() + 3;
    while (performance.now() < busyUntil);
    const work = storage.transaction((tx) => tx.bumpProjectRevision('prj_1'));
    asked.push(
      work.then(() => {
        answered += 1;
      }),
    );
  }
  expect(answered).toBeGreaterThan(0);
  await Promise.all(asked);
});

describe.each(['writes', 'reads meanwhile'] as const)('a list read on the connection that %s', (which) => {
  it('is refused when its lock cannot be released, and later reads see committed data', async () => {
    await storage.transaction((tx) => tx.insertIntent(anIntent('int_1')));
    const database = which === 'writes' ? writer : reader;
    const listed = (): Promise<unknown> => storage.read.listIntents({ projectIds: ['prj_1'], limit: 10 });
    const exec = database.exec.bind(database);
    const failing = vi.spyOn(database, 'exec').mockImplementation((sql) => {
      if (sql === 'commit') throw Object.assign(new Error('disk I/O error'), { errcode: 10 });
      exec(sql);
    });
    const page = which === 'writes' ? listed() : storage.transaction(listed);
    await expect(page).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(failing).toHaveBeenCalledWith('rollback');
    failing.mockRestore();
    await storage.transaction((tx) => tx.bumpProjectRevision('prj_1'));
    expect(await revision(storage.read)).toBe(2);
    expect(await storage.transaction(() => revision(storage.read))).toBe(2);
  });
});

describe('a read while a transaction is open', () => {
  it('sees what was committed before, in one statement and in several', async () => {
    await storage.transaction((tx) => tx.insertIntent(anIntent('int_1')));
    // This page must not bind later reads to its connection.
    await storage.read.listIntents({ projectIds: ['prj_1'], limit: 10 });
    await storage.transaction(async (tx) => {
      await tx.bumpProjectRevision('prj_1');
      await tx.insertIntent(anIntent('int_2'));
      expect(await revision(storage.read)).toBe(1);
      expect(await storage.read.findIntent('int_2')).toBeUndefined();
      const listed = await storage.read.listIntents({ projectIds: ['prj_1'], limit: 10 });
      expect(listed.map(({ id }) => id)).toEqual(['int_1']);
    });
    expect(await revision(storage.read)).toBe(2);
    expect(await storage.read.findIntent('int_2')).toMatchObject({ id: 'int_2' });
  });

  it('never sees a transaction that fails, at whatever step of its group it reads', async () => {
    const seen = new Set<boolean>();
    const watch = async (): Promise<void> => {
      for (let step = 0; step < 200; step += 1) {
        if (await storage.read.findAgent('prj_1', 'agt_undone')) throw new Error('seen');
        seen.add((await storage.read.findAgent('prj_1', 'agt_done')) !== undefined);
      }
    };
    const watching: Promise<void>[] = [];
    const begun = storage.transaction(async (tx) => {
      // Starts in the same turn as the transactions that follow, so that its steps come between theirs.
      watching.push(watch());
      await tx.bumpProjectRevision('prj_1');
    });
    const done = storage.transaction((tx) => tx.insertAgent(anAgent('agt_done')));
    const undone = storage.transaction(async (tx) => {
      await tx.insertAgent(anAgent('agt_undone'));
      for (let look = 0; look < 20; look += 1) await revision(tx);
      throw new Error('refused');
    });
    await expect(undone).rejects.toThrow('refused');
    await Promise.all([begun, done]);
    await Promise.all(watching);
    expect(seen).toEqual(new Set([false, true]));
    expect(await agents()).toEqual(['agt_done', 'agt_taken']);
  });
});

/**
 * On SQLite a project's revision is read once per group. The next transaction of the group must still see a change of
 * the revision.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { sql } from 'kysely';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Transaction } from '../../src/storage/nouns.ts';
import { CompiledForm, prepare, preparedQueries } from '../../src/storage/sql/prepared-query.ts';
import { compiler, SqliteConnection } from '../../src/storage/sqlite/connection.ts';
import { databaseFile } from '../../src/storage/sqlite/open-database.ts';
import { openSqliteStorage } from '../../src/storage/sqlite/open-sqlite-storage.ts';
import type { OpenStorage } from '../../src/storage/storage.ts';
import { putMigratedDatabase } from '../fixtures/migrated-database.ts';
import { anAgent, anIntent, aProject, at } from './conformance/samples.ts';

let directory: string;
let storage: OpenStorage;
let other: DatabaseSync;

beforeEach(async () => {
  directory = mkdtempSync(join(tmpdir(), 'permitry-revisions-'));
  putMigratedDatabase(directory);
  storage = await openSqliteStorage({ directory });
  other = new DatabaseSync(databaseFile(directory));
  await storage.transaction(async (tx) => {
    await tx.insertProject(aProject());
    await tx.insertProject(aProject({ id: 'prj_2' }));
    await tx.insertAgent(anAgent('agt_1'));
  });
});

afterEach(async () => {
  other.close();
  await storage.close();
  rmSync(directory, { recursive: true, force: true });
});

/** Creates as the gate does: only if the settings are still those that it read. */
function create(id: string, work: (tx: Transaction) => unknown = () => {}): Promise<unknown> {
  return storage.transaction(async (tx) => {
    if (!(await tx.isAtRevision('prj_1', 1))) throw new Error('stale');
    await tx.insertIntent(anIntent(id));
    await work(tx);
  });
}

const pause = (tx: Transaction) =>
  Promise.all([tx.setProjectStopped('prj_1', at(1)), tx.bumpProjectRevision('prj_1')]);

async function outcomesOf(asked: Promise<unknown>[]): Promise<string[]> {
  const settled = await Promise.allSettled(asked);
  return settled.map((one) => (one.status === 'rejected' ? one.reason.message : 'done'));
}

async function created(): Promise<string[]> {
  const found = await storage.read.listIntents({ projectIds: ['prj_1'], limit: 100 });
  return found.map(({ id }) => id).toSorted();
}

const CHANGES: [string, (tx: Transaction) => Promise<unknown>][] = [
  ['a stop of the project', pause],
  [
    'a pause of the agent',
    async (tx) => {
      await tx.setAgentStatus('agt_1', ['active'], 'paused');
      await tx.bumpProjectRevision('prj_1');
    },
  ],
];

describe.each(CHANGES)('%s between creates of one group', (_, change) => {
  it('lets only the creates before it pass', async () => {
    const asked = [create('int_1'), storage.transaction(change), create('int_2'), create('int_3')];
    expect(await outcomesOf(asked)).toEqual(['done', 'done', 'stale', 'stale']);
    expect(await created()).toEqual(['int_1']);
    expect(storage.stats()).toMatchObject({ commits: 2, largestGroup: 4 });
  });

  it('lets only the creates before it pass, also when the group runs again in parts', async () => {
    const fail = () => {
      throw new Error('refused');
    };
    const asked = [
      create('int_1'),
      create('int_2', fail),
      create('int_3'),
      storage.transaction(change),
      create('int_4'),
      create('int_5', fail),
      create('int_6'),
    ];
    const outcomes = ['done', 'refused', 'done', 'done', 'stale', 'stale', 'stale'];
    expect(await outcomesOf(asked)).toEqual(outcomes);
    expect(await created()).toEqual(['int_1', 'int_3']);
  });

  it('has no effect when it is undone', async () => {
    const undone = storage.transaction(async (tx) => {
      await change(tx);
      throw new Error('refused');
    });
    const asked = [create('int_1'), undone, create('int_2'), create('int_3')];
    expect(await outcomesOf(asked)).toEqual(['done', 'refused', 'done', 'done']);
    expect(await created()).toEqual(['int_1', 'int_2', 'int_3']);
  });
});

it('a transaction sees the revision that it has raised itself', async () => {
  const answers = await storage.transaction(async (tx) => {
    const before = await tx.isAtRevision('prj_1', 1);
    await tx.bumpProjectRevision('prj_1');
    return [before, await tx.isAtRevision('prj_1', 1), await tx.isAtRevision('prj_1', 2)];
  });
  expect(answers).toEqual([true, false, true]);
});

it('each project has its own revision, and a missing one has none until it exists', async () => {
  const isAt = (id: string, revision: number) => storage.transaction((tx) => tx.isAtRevision(id, revision));
  const answers = await Promise.all([
    isAt('prj_1', 1),
    storage.transaction((tx) => tx.bumpProjectRevision('prj_2')),
    isAt('prj_1', 1),
    isAt('prj_2', 1),
    isAt('prj_2', 2),
    isAt('prj_3', 1),
    storage.transaction(async (tx) => {
      await tx.insertProject(aProject({ id: 'prj_3' }));
    }),
    isAt('prj_3', 1),
  ]);
  expect(answers).toEqual([true, undefined, true, false, true, false, undefined, true]);
});

it('a change by another process counts from the next group on', async () => {
  const raise = () => other.exec("update projects set revision = revision + 1 where id = 'prj_1'");
  expect(await outcomesOf([create('int_1')])).toEqual(['done']);
  raise();
  expect(await outcomesOf([create('int_2')])).toEqual(['stale']);
});

it('a change by another process between two parts of a group counts for the second part', async () => {
  const first = create('int_1', (tx) =>
    // Runs between the commit of the first part and the begin of the second.
    tx.afterCommit(() => other.exec("update projects set revision = revision + 1 where id = 'prj_1'")),
  );
  const refused = create('int_2', () => {
    throw new Error('refused');
  });
  expect(await outcomesOf([first, refused])).toEqual(['done', 'stale']);
  expect(await created()).toEqual(['int_1']);
});

it('a group reads the revision once', async () => {
  const before = storage.stats().statementsWritten;
  await Promise.all(Array.from({ length: 40 }, (_, index) => create(`int_${index}`)));
  expect(storage.stats().statementsWritten - before).toBe(41);
});

describe('the table that a statement writes', () => {
  it('is known for every statement', () => {
    const wrong: string[] = [];
    let writing = 0;
    for (const query of preparedQueries) {
      const form = query.compile(compiler);
      const written = /^(?:insert into|update|delete from) "(\w+)"/.exec(form.sql)?.[1];
      if (written === 'projects') writing += 1;
      const isRight = form.mayWrite('projects') === (written === 'projects') && form.onlyReads === !written;
      if (!isRight) wrong.push(form.sql);
    }
    expect(wrong).toEqual([]);
    expect(writing).toBeGreaterThan(4);
  });

  it('counts as any table when it is unknown', () => {
    const unknown = [
      sql`update projects set revision = 2`.compile(compiler),
      compiler.updateTable('projects as p').set({ revision: 2 }).compile(),
      compiler.deleteFrom(['agents', 'projects']).compile(),
    ];
    for (const query of unknown) {
      const form = new CompiledForm(query);
      expect([form.mayWrite('projects'), form.onlyReads]).toEqual([true, false]);
    }
  });

  it('is the only one that it changes: the schema has no triggers and no cascades', () => {
    expect(other.prepare("select name from sqlite_schema where type = 'trigger'").all()).toEqual([]);
    const cascades = other.prepare(
      `select m.name from sqlite_schema m, pragma_foreign_key_list(m.name) f
       where m.type = 'table' and (f.on_update <> 'NO ACTION' or f.on_delete <> 'NO ACTION')`,
    );
    expect(cascades.all()).toEqual([]);
  });
});

it('a statement that writes cannot run as a read, because its change would go unnoticed', async () => {
  const database = new DatabaseSync(':memory:');
  database.exec('create table projects (id text, revision integer) strict');
  const write = prepare((db, $: { id: string }) =>
    db
      .insertInto('projects')
      .values({ id: $.id, revision: 1 } as never)
      .returning('id'),
  );
  const connection = new SqliteConnection(database);
  await expect(connection.first(write, { id: 'prj_1' })).rejects.toThrow('only `change`');
  await expect(connection.all(write, { id: 'prj_1' })).rejects.toThrow('only `change`');
  expect(database.prepare('select * from projects').all()).toEqual([]);
});

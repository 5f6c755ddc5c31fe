import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, describe, expect, it } from 'vitest';
import type { Transaction } from '../../src/storage/nouns.ts';
import { readSchema } from '../../src/storage/sqlite/migrate.ts';
import { databaseFile, openDatabase } from '../../src/storage/sqlite/open-database.ts';
import { createSqliteStorage, openSqliteStorage } from '../../src/storage/sqlite/open-sqlite-storage.ts';
import { lockForServing } from '../../src/storage/sqlite/serving-lock.ts';
import type { OpenStorage } from '../../src/storage/storage.ts';
import { putMigratedDatabase } from '../fixtures/migrated-database.ts';
import { describeStorage } from './conformance/conformance.ts';
import { anAgent, anApproval, anEvent, anIntent, aProject, at } from './conformance/samples.ts';

const STORAGE_MODULE = new URL('../../src/storage/sqlite/open-sqlite-storage.ts', import.meta.url).href;

const directories: string[] = [];
const storages: OpenStorage[] = [];

function freshDirectory(): string {
  const directory = mkdtempSync(join(tmpdir(), 'permitry-sqlite-'));
  directories.push(directory);
  return directory;
}

/** Opens a storage that is closed after the test, however the test ends. */
async function open(options: Parameters<typeof openSqliteStorage>[0]): Promise<OpenStorage> {
  const storage = await openSqliteStorage(options);
  storages.push(storage);
  return storage;
}

/** Provides the writing connection, so that tests can make it fail. */
function openHinderable(): { storage: OpenStorage; writer: DatabaseSync } {
  const connections = openDatabase(freshDirectory());
  const storage = createSqliteStorage(connections);
  storages.push(storage);
  return { storage, writer: connections.writer };
}

afterEach(async () => {
  await Promise.all(storages.splice(0).map((storage) => storage.close()));
  for (const directory of directories.splice(0)) rmSync(directory, { recursive: true, force: true });
});

describeStorage('SQLite', () => {
  const directory = freshDirectory();
  putMigratedDatabase(directory);
  return openSqliteStorage({ directory });
});

describe('the database file', () => {
  it('can be read by nobody else, like its directory', async () => {
    const directory = join(freshDirectory(), 'deep', 'data');
    const storage = await open({ directory });
    await storage.transaction((tx) => tx.insertProject(aProject()));
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    for (const suffix of ['', '-wal', '-shm']) {
      expect(statSync(databaseFile(directory) + suffix).mode & 0o777).toBe(0o600);
    }
  });

  it('is made private again when others could read it', async () => {
    const directory = freshDirectory();
    await (await open({ directory })).close();
    chmodSync(databaseFile(directory), 0o644);
    await open({ directory });
    expect(statSync(databaseFile(directory)).mode & 0o777).toBe(0o600);
  });

  it('is durable at every commit: write-ahead log, synchronous FULL, foreign keys on', () => {
    const { writer, reader } = openDatabase(freshDirectory());
    expect(writer.prepare('pragma journal_mode').get()).toEqual({ journal_mode: 'wal' });
    expect(writer.prepare('pragma synchronous').get()).toEqual({ synchronous: 2 });
    expect(writer.prepare('pragma foreign_keys').get()).toEqual({ foreign_keys: 1 });
    expect(() => reader.exec('delete from projects')).toThrow(/readonly/);
    reader.close();
    writer.close();
  });

  it('contains everything again after it was closed and opened', async () => {
    const directory = freshDirectory();
    const before = await open({ directory });
    await before.transaction(async (tx) => {
      await tx.insertProject(aProject());
      await tx.insertIntent(anIntent('int_1', { reason: 'a\u0000b' }));
      await tx.resolveIntent('int_1', 1, anApproval('int_1', 'pmt_1'));
      await tx.insertEvent(anEvent('evt_1'));
    });
    const intent = await before.read.findIntent('int_1');
    await before.close();

    const after = await open({ directory });
    expect(await after.read.findIntent('int_1')).toEqual(intent);
    expect(await after.read.countUnsealedEvents('prj_1')).toBe(1);
    expect(await after.read.listProjects()).toEqual([aProject()]);
  });

  it('keeps a NUL character inside a text', async () => {
    const storage = await open({ directory: freshDirectory() });
    await storage.transaction((tx) => tx.insertProject(aProject({ name: 'a\u0000b' })));
    expect((await storage.read.findProject('prj_1'))?.name).toBe('a\u0000b');
  });

  it('is refused and left unchanged when a newer release wrote it', async () => {
    const directory = freshDirectory();
    await (await open({ directory })).close();
    const newer = new DatabaseSync(databaseFile(directory));
    newer.exec("insert into permitry_migrations values (9999, 9999, 1, 1, '')");
    newer.close();
    await expect(open({ directory })).rejects.toThrow(/newer release/);
    const still = new DatabaseSync(databaseFile(directory));
    expect(readSchema(still)).toEqual({ version: 9999, servesFrom: 9999, stepsDone: 0 });
    still.close();
  });

  it('is refused when it belongs to another program', async () => {
    const directory = freshDirectory();
    const other = new DatabaseSync(databaseFile(directory));
    other.exec('create table theirs (a text)');
    other.close();
    await expect(open({ directory })).rejects.toThrow(/not a Permitry database/);

    const text = freshDirectory();
    writeFileSync(databaseFile(text), 'Dear diary, this is certainly not a database file at all.'.repeat(40));
    await expect(open({ directory: text })).rejects.toThrow();
  });
});

describe('a group that fails', () => {
  it('on a full disk is refused whole and leaves nothing, and later ones succeed when there is room again', async () => {
    const { storage, writer } = openHinderable();
    await storage.transaction((tx) => tx.insertProject(aProject()));
    const pages = writer.prepare('pragma page_count').get()?.page_count;
    writer.exec(`pragma max_page_count = ${Number(pages)}`);

    const effects: string[] = [];
    const small = (id: string) =>
      storage.transaction(async (tx) => {
        tx.afterCommit(() => effects.push(id));
        await tx.insertAgent(anAgent(id));
      });
    const large = storage.transaction((tx) =>
      tx.insertIntent(anIntent('int_1', { params: { text: 'x'.repeat(200_000) } })),
    );
    const refused = storage.transaction(async () => {
      throw new Error('its own reason');
    });
    const settled = await Promise.allSettled([small('agt_1'), large, small('agt_2'), refused]);
    for (const one of settled) {
      expect(one).toMatchObject({
        status: 'rejected',
        reason: { code: 'service_unavailable', details: { retry_after_seconds: 1 } },
      });
    }
    const cause = settled[1]?.status === 'rejected' ? settled[1].reason.cause : undefined;
    expect(cause).toMatchObject({ errcode: 13 });
    expect(effects).toEqual([]);
    expect(await storage.read.listAgents('prj_1', { limit: 10 })).toEqual([]);
    expect(await storage.read.findIntent('int_1')).toBeUndefined();
    expect(storage.stats().failedGroups).toBe(1);

    writer.exec('pragma max_page_count = 1073741823');
    await small('agt_3');
    expect(await storage.read.findAgent('prj_1', 'agt_3')).toBeDefined();
    expect(effects).toEqual(['agt_3']);
  });

  it('on a full disk is refused even if the transaction ignored the error', async () => {
    const { storage, writer } = openHinderable();
    await storage.transaction((tx) => tx.insertProject(aProject()));
    writer.exec(`pragma max_page_count = ${Number(writer.prepare('pragma page_count').get()?.page_count)}`);
    const asked = storage.transaction(async (tx) => {
      await tx.insertAgent(anAgent('agt_1'));
      await tx
        .insertIntent(anIntent('int_1', { params: { text: 'x'.repeat(200_000) } }))
        .catch(() => undefined);
      return 'all is well';
    });
    await expect(asked).rejects.toMatchObject({ code: 'service_unavailable' });
    expect(await storage.read.findAgent('prj_1', 'agt_1')).toBeUndefined();
  });

  it('at its commit is refused whole', async () => {
    const { storage, writer } = openHinderable();
    await storage.transaction((tx) => tx.insertProject(aProject()));
    // SQLite checks this at the commit and not before, so the commit itself fails.
    writer.exec(`
      create table at_commit (project_id text references projects (id) deferrable initially deferred);
      create trigger fail_at_commit after insert on agents when new.name = 'bad'
      begin insert into at_commit values ('prj_none'); end;
    `);
    const good = storage.transaction((tx) => tx.insertAgent(anAgent('agt_1')));
    const bad = storage.transaction((tx) => tx.insertAgent(anAgent('agt_2', { name: 'bad' })));
    for (const one of await Promise.allSettled([good, bad])) {
      expect(one).toMatchObject({ status: 'rejected', reason: { code: 'service_unavailable' } });
    }
    expect(await storage.read.listAgents('prj_1', { limit: 10 })).toEqual([]);
    await storage.transaction((tx) => tx.insertAgent(anAgent('agt_3')));
    expect(await storage.read.findAgent('prj_1', 'agt_3')).toBeDefined();
  });
});

describe('another writing process', () => {
  it('is waited for without blocking the event loop', async () => {
    const directory = freshDirectory();
    const storage = await open({ directory });
    await storage.transaction((tx) => tx.insertProject(aProject()));
    const other = new DatabaseSync(databaseFile(directory));
    other.exec("begin immediate; update projects set name = 'theirs'");
    const asked = storage.transaction((tx) => tx.insertAgent(anAgent('agt_1')));
    // Reached only if the event loop keeps turning while the storage waits.
    await new Promise((resolve) => setTimeout(resolve, 30));
    expect(await storage.read.findAgent('prj_1', 'agt_1')).toBeUndefined();
    other.exec('commit');
    other.close();
    await asked;
    expect((await storage.read.findProject('prj_1'))?.name).toBe('theirs');
    expect(await storage.read.findAgent('prj_1', 'agt_1')).toBeDefined();
  });

  it('makes the gate answer service_unavailable when it does not finish', async () => {
    const directory = freshDirectory();
    const storage = await open({ directory, busyTimeoutMs: 20 });
    await storage.transaction((tx) => tx.insertProject(aProject()));
    const other = new DatabaseSync(databaseFile(directory));
    other.exec('begin immediate');
    await expect(storage.transaction((tx) => tx.insertAgent(anAgent('agt_1')))).rejects.toMatchObject({
      code: 'service_unavailable',
    });
    other.exec('rollback');
    other.close();
    await storage.transaction((tx) => tx.insertAgent(anAgent('agt_1')));
  });

  it('and the gate lose none of each other’s changes', async () => {
    const directory = freshDirectory();
    const storage = await open({ directory });
    await storage.transaction((tx) => tx.insertProject(aProject()));
    const other = spawn(
      process.execPath,
      [
        '--input-type=module',
        '--eval',
        `import { openSqliteStorage } from ${JSON.stringify(STORAGE_MODULE)};
         const storage = await openSqliteStorage({ directory: ${JSON.stringify(directory)} });
         for (let i = 0; i < 100; i++) await storage.transaction((tx) => tx.bumpProjectRevision('prj_1'));
         await storage.close();`,
      ],
      { stdio: ['ignore', 'inherit', 'inherit'] },
    );
    const exited = once(other, 'exit');
    for (let i = 0; i < 100; i++) await storage.transaction((tx) => tx.bumpProjectRevision('prj_1'));
    expect(await exited).toEqual([0, null]);
    expect((await storage.read.findProject('prj_1'))?.revision).toBe(201);
  });

  it('that is killed while it writes has lost nothing that was acknowledged', async () => {
    const directory = freshDirectory();
    const storage = await open({ directory });
    await storage.transaction((tx) => tx.insertProject(aProject()));
    const other = spawn(
      process.execPath,
      [
        '--input-type=module',
        '--eval',
        `import { writeSync } from 'node:fs';
         import { openSqliteStorage } from ${JSON.stringify(STORAGE_MODULE)};
         const storage = await openSqliteStorage({ directory: ${JSON.stringify(directory)} });
         for (let i = 0; ; i++) {
           await Promise.all([0, 1, 2].map(() => storage.transaction((tx) => tx.bumpProjectRevision('prj_1'))));
           writeSync(1, '+');
         }`,
      ],
      { stdio: ['ignore', 'pipe', 'inherit'] },
    );
    let told = 0;
    other.stdout.on('data', (chunk: Buffer) => {
      told += chunk.length;
      if (told > 20) other.kill('SIGKILL');
    });
    await once(other, 'close');
    const revision = (await storage.read.findProject('prj_1'))?.revision ?? 0;
    expect(told).toBeGreaterThan(20);
    expect(revision).toBeGreaterThanOrEqual(1 + 3 * told);
    await storage.transaction((tx) => tx.bumpProjectRevision('prj_1'));
    expect((await storage.read.findProject('prj_1'))?.revision).toBe(revision + 1);
  });

  it('may open an empty directory at the same moment as the gate', async () => {
    const directory = freshDirectory();
    const [first, second] = await Promise.all([open({ directory }), open({ directory })]);
    await first.transaction((tx) => tx.insertProject(aProject()));
    expect(await second.read.findProject('prj_1')).toEqual(aProject());
  });
});

describe('groups', () => {
  it('run one transaction after another', async () => {
    const storage = await open({ directory: freshDirectory() });
    const steps: string[] = [];
    const work = (name: string) => async (tx: Transaction) => {
      steps.push(`${name} begins`);
      for (let step = 0; step < 5; step++) await tx.findProject('prj_1');
      steps.push(`${name} ends`);
    };
    await Promise.all(['a', 'b', 'c'].map((name) => storage.transaction(work(name))));
    expect(steps).toEqual(['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  });

  it('are no larger than the limit', async () => {
    const storage = await open({ directory: freshDirectory(), maxGroupSize: 10 });
    await storage.transaction((tx) => tx.insertProject(aProject()));
    await Promise.all(
      Array.from({ length: 35 }, (_, index) =>
        storage.transaction((tx) => tx.insertEvent(anEvent(`evt_${index}`, { occurredAt: at(index) }))),
      ),
    );
    expect(storage.stats()).toMatchObject({
      commits: 5,
      transactions: 36,
      largestGroup: 10,
      failedGroups: 0,
    });
  });

  it('report an effect that throws, and run the other effects', async () => {
    const storage = await open({ directory: freshDirectory() });
    const warned = once(process, 'warning');
    const effects: string[] = [];
    await Promise.all([
      storage.transaction(async (tx) => {
        tx.afterCommit(() => {
          throw new Error('a broken effect');
        });
        await tx.insertProject(aProject());
      }),
      storage.transaction(async (tx) => tx.afterCommit(() => effects.push('ran'))),
    ]);
    expect(effects).toEqual(['ran']);
    expect(await warned).toMatchObject([{ message: 'a broken effect' }]);
    expect(await storage.read.findProject('prj_1')).toEqual(aProject());
  });
});

it('no other server can take the lock that a server holds', () => {
  const directory = freshDirectory();
  const lock = lockForServing(directory);
  expect(() => lockForServing(directory)).toThrow('Another server');
  lock.release();
  lockForServing(directory).release();
  expect(statSync(join(directory, 'serving.lock')).mode & 0o777).toBe(0o600);
});

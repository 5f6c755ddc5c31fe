/**
 * SQLite as the gate's storage: one connection commits in groups and reads between transactions. Another one reads
 * while a transaction is open.
 */
import type { DatabaseSync } from 'node:sqlite';
import { ALONE } from '../../gate/kernel/bus.ts';
import { SqlStore } from '../queries/stores.ts';
import type { OpenStorage } from '../storage.ts';
import { CommittedReads } from './committed-reads.ts';
import { SqliteConnection } from './connection.ts';
import { Forgetting } from './forget.ts';
import { GroupCommit, type GroupCommitOptions } from './group-commit.ts';
import { openDatabase } from './open-database.ts';

/** A file of this size is rebuilt in about a second, so writers wait no longer than for any other process. */
const REWRITTEN_BELOW_BYTES = 128 * 1024 * 1024;
const FORGET_TIMEOUT_MS = 10_000;

interface StorageOptions extends GroupCommitOptions {
  /** A larger file is not rebuilt automatically. */
  rewriteBelowBytes: number;
}

const DEFAULTS: StorageOptions = {
  busyTimeoutMs: 5000,
  maxGroupSize: 256,
  rewriteBelowBytes: REWRITTEN_BELOW_BYTES,
};

export interface SqliteStorageOptions extends Partial<StorageOptions> {
  /** The data directory. Created with mode 0700 if it is missing. */
  directory: string;
}

/**
 * Opens `DIRECTORY/permitry.sqlite`. Creates it with mode 0600 if it is missing.
 *
 * @throws a plain Error for a file that is not Permitry's, or was written by a newer release.
 * @example
 * const storage = await openSqliteStorage({ directory: '/var/lib/permitry' });
 * await storage.transaction((tx) => tx.insertProject(project));
 * await storage.close();
 */
export async function openSqliteStorage({
  directory,
  ...options
}: SqliteStorageOptions): Promise<OpenStorage> {
  return createSqliteStorage(openDatabase(directory), { ...DEFAULTS, ...options });
}

function databasePath(database: DatabaseSync): string {
  const path = database.location();
  if (path === null) throw new Error('the database is in no file');
  return path;
}

/** The storage over connections that `openDatabase` opened. Its `close` closes both. */
export function createSqliteStorage(
  { writer, reader }: { writer: DatabaseSync; reader: DatabaseSync },
  { rewriteBelowBytes, ...options }: StorageOptions = DEFAULTS,
): OpenStorage {
  const writing = new SqliteConnection(writer);
  const reading = new SqliteConnection(reader);
  const groups = new GroupCommit(writing, options);
  const forgetting = new Forgetting({
    file: databasePath(writer),
    timeoutMs: FORGET_TIMEOUT_MS,
    rewriteBelowBytes,
  });
  const committed = new CommittedReads(writing, reading);
  const read = new SqlStore(committed);
  return {
    read,
    transaction: (work) => groups.submit(work),
    forget: (options) => forgetting.ask(options),
    budgets: null,
    openTime: async () => null,
    identity: async () => null,
    onPromotion() {},
    // Only one server uses the file. Its waiting readers poll, and so find changes that the command line made.
    openBus: () => ({ ...ALONE, close: async () => {} }),
    stats: () => ({
      ...groups.counts,
      statementsRead: committed.statements,
      statementsWritten: writing.statements + reading.statements - committed.statements,
    }),
    async close() {
      await groups.close();
      if (reader.isOpen) reader.close();
      if (writer.isOpen) writer.close();
    },
  };
}

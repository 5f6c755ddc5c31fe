import { chmodSync, closeSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { MIGRATIONS } from '../migrations/migrations.ts';
import { migrate, readPragma } from './migrate.ts';

/** The path of a data directory's database. */
export function databaseFile(directory: string): string {
  return join(directory, 'permitry.sqlite');
}

/**
 * Opens the database of `directory`. Creates it if there is none, and updates an older one.
 *
 * @throws a plain Error that says what to do, when the file is not ours, is newer than this code, or cannot be made
 * durable.
 */
export function openDatabase(directory: string): { writer: DatabaseSync; reader: DatabaseSync } {
  const file = createPrivately(directory);
  const writer = new DatabaseSync(file, { timeout: SETUP_TIMEOUT_MS });
  try {
    setUpWriter(writer);
    const reader = new DatabaseSync(file, { readOnly: true, timeout: SETUP_TIMEOUT_MS });
    // The reader is used only while a transaction is open on the writer. Its cache is out of date after the next
    // commit.
    reader.exec('pragma cache_size = -512; pragma temp_store = memory');
    return { writer, reader };
  } catch (error) {
    writer.close();
    throw error;
  }
}

const SETUP_TIMEOUT_MS = 5000;

/** SQLite gives the -wal and -shm files the mode of the file itself. */
function createPrivately(directory: string): string {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const file = databaseFile(directory);
  closeSync(openSync(file, 'a', 0o600));
  chmodSync(file, 0o600);
  return file;
}

function setUpWriter(writer: DatabaseSync): void {
  writer.exec('pragma journal_mode = wal');
  writer.exec('pragma synchronous = full');
  writer.exec('pragma foreign_keys = on');
  // The rollback data of a statement stays in memory, not in a file of its own. Checkpoints are short, so that nobody
  // waits long for one.
  writer.exec('pragma temp_store = memory; pragma cache_size = -8192; pragma wal_autocheckpoint = 2000');
  // Overwrites deleted data in place, also when a row moves as it grows, so that an erased text leaves no copy.
  writer.exec('pragma secure_delete = on');
  migrate(writer, MIGRATIONS);
  // From here on, waiting for another process must not block the event loop (see group-commit.ts).
  writer.exec('pragma busy_timeout = 0');

  assertPragma(writer, 'journal_mode', 'wal');
  // 2 is FULL: a commit is on the disk before any caller gets an answer about it.
  assertPragma(writer, 'synchronous', 2);
  assertPragma(writer, 'foreign_keys', 1);
  assertPragma(writer, 'secure_delete', 1);
}

function assertPragma(database: DatabaseSync, name: string, expected: string | number): void {
  const found = readPragma(database, name);
  if (found === expected) return;
  throw new Error(
    `SQLite answers ${name} = ${String(found)} where Permitry needs ${expected}. ` +
      'The data directory must be on a local file system that supports shared memory and locks.',
  );
}

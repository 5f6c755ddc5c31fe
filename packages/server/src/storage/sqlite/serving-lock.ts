import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createLockFile } from '../../files/create-lock-file.ts';
import { isBusy } from './sqlite-error.ts';

/** Longer than `isServed` holds the lock. */
const POLL_EVERY_MS = 200;

function lockOf(directory: string): string {
  return join(directory, 'serving.lock');
}

/**
 * Keeps a second server off the same directory. A second server would not notice changes that the first one's clients
 * wait for, and would count rate limits separately. The command line needs no lock, because it only makes single
 * changes.
 *
 * SQLite holds the lock on a separate file. The system releases the lock when the process ends, however it ends.
 *
 * @throws Error when another server holds the lock
 */
export function lockForServing(directory: string): { release(): void } {
  mkdirSync(directory, { recursive: true, mode: 0o700 });
  const path = lockOf(directory);
  createLockFile(path);
  const lock = new DatabaseSync(path, { timeout: POLL_EVERY_MS });
  try {
    lock.exec('begin exclusive');
  } catch (error) {
    lock.close();
    if (!isBusy(error)) throw error;
    throw new Error(`Another server is serving ${directory} already; stop it first, or use another --data.`);
  }
  return {
    release: () => {
      if (lock.isOpen) lock.close();
    },
  };
}

/** Whether a server uses the directory, without taking its lock away. */
export function isServed(directory: string): boolean {
  if (!existsSync(lockOf(directory))) return false;
  const lock = new DatabaseSync(lockOf(directory), { readOnly: true, timeout: 0 });
  try {
    lock.exec('select 1 from sqlite_schema');
    return false;
  } catch (error) {
    if (isBusy(error)) return true;
    throw error;
  } finally {
    lock.close();
  }
}

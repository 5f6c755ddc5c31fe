import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createLockFile } from '../../files/create-lock-file.ts';
import { isBusy } from './sqlite-error.ts';

/** Longer than `isServed` holds it. */
const POLL_EVERY_MS = 200;

function lockOf(directory: string): string {
  return join(directory, 'serving.lock');
}

/**
 * Keeps a second server off the same directory: it would not hear what the first one's clients wait for, and count
 * its own rate limits. The command line needs no lock, it only ever makes single changes.
 *
 * The lock is one SQLite holds on a file of its own; the system lets go of it when the process ends, however it ends.
 *
 * @throws Error when another server has it
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

/** Whether a server has the directory; the server keeps the lock. */
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

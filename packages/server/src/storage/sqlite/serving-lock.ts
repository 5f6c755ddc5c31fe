import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { createLockFile } from '../../create-lock-file.ts';
import { isBusy } from './sqlite-error.ts';

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
  const path = join(directory, 'serving.lock');
  createLockFile(path);
  const lock = new DatabaseSync(path, { timeout: 0 });
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

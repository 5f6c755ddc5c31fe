import { DatabaseSync } from 'node:sqlite';
import { setTimeout } from 'node:timers/promises';
import { createLockFile } from '../files/create-lock-file.ts';

const TRY_EVERY_MS = 10;
const PATIENCE_MS = 30_000;
const SQLITE_BUSY = 5;

/**
 * Locks the key folder for one comparison and write, by a server or a command. The lock is an SQLite lock on a separate
 * file. The system releases it when the process ends, even after a crash.
 * @throws Error when another process keeps the lock for half a minute
 */
export async function lockKeyFolder(path: string): Promise<() => void> {
  createLockFile(path);
  const until = performance.now() + PATIENCE_MS;
  for (;;) {
    const lock = new DatabaseSync(path, { timeout: 0 });
    try {
      lock.exec('begin exclusive');
      return () => lock.close();
    } catch (error) {
      lock.close();
      if ((error as { errcode?: number }).errcode !== SQLITE_BUSY) throw error;
      if (performance.now() > until)
        throw new Error('Another process has been writing signing keys for half a minute; try again later.');
    }
    await setTimeout(TRY_EVERY_MS);
  }
}

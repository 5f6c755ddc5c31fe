import { closeSync, openSync } from 'node:fs';

/**
 * Creates a lock file that only its owner can read, because anyone who can read it can hold the lock. An existing file
 * is not even opened: closing it would release a lock that this process holds on it (POSIX).
 */
export function createLockFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

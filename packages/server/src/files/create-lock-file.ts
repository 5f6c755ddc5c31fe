import { closeSync, openSync } from 'node:fs';

/**
 * Creates a lock file for its owner only, because anyone who can read it can hold the lock. An existing file is not
 * even opened: closing it again would release a lock that this process holds on it (POSIX).
 */
export function createLockFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

import { closeSync, openSync } from 'node:fs';

/**
 * Makes the file of a lock, for its owner alone: who may read it could hold it. One that is there is not even opened,
 * for closing it again would let go of a lock that this process has on it (POSIX).
 */
export function createLockFile(path: string): void {
  try {
    closeSync(openSync(path, 'wx', 0o600));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

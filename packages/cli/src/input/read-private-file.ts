import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';
import { usage } from '../command-failure.ts';

const OTHERS = 0o077;

/**
 * The text of a file that nobody else may read or own. Undefined if there is none.
 *
 * @param holds What the file contains, for the error message: `a key`.
 * @throws CommandFailure for a file that others may read or own
 */
export function readPrivateFile(path: string, holds: string): string | undefined {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const { mode, uid } = fstatSync(file);
    if (process.platform !== 'win32' && ((mode & OTHERS) !== 0 || ![process.getuid?.(), 0].includes(uid))) {
      throw usage(
        `${path} holds ${holds}, but others can read or own it. Make it private to you: chmod 600 ${path}`,
      );
    }
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

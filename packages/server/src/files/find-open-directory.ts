import { statSync } from 'node:fs';

const WRITABLE_BY_OTHERS = 0o022;

/**
 * Why a data directory is not safe to serve from, in a sentence; undefined for one that only its user may write to, or
 * that is not there. Anyone who may write to it can put another database or signing key in place.
 */
export function findOpenDirectory(directory: string): string | undefined {
  const mode = statSync(directory, { throwIfNoEntry: false })?.mode;
  // Windows has no such bits, and says that all may.
  if (mode === undefined || process.platform === 'win32' || (mode & WRITABLE_BY_OTHERS) === 0)
    return undefined;
  return `Other users may write to the data directory ${directory}. They can replace its database and signing keys. Run: chmod go-w ${directory}`;
}

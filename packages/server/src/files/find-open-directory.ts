import { statSync } from 'node:fs';

const WRITABLE_BY_OTHERS = 0o022;

/**
 * Why a data directory is not safe to serve from, in a sentence. Undefined if it does not exist, or only its user may
 * write to it. Anyone else who may write to it can replace the database or a signing key.
 */
export function findOpenDirectory(directory: string): string | undefined {
  const mode = statSync(directory, { throwIfNoEntry: false })?.mode;
  // Windows has no such bits and reports that everyone may write.
  if (mode === undefined || process.platform === 'win32' || (mode & WRITABLE_BY_OTHERS) === 0)
    return undefined;
  return `Other users may write to the data directory ${directory}. They can replace its database and signing keys. Run: chmod go-w ${directory}`;
}

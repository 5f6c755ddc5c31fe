import { closeSync, fstatSync, mkdirSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { syncFolder } from '../files/sync-folder.ts';
import { writeWholeFile } from '../files/whole-file.ts';
import { parseStoredKey, type StoredKey, StoredKeyError } from './stored-key.ts';

const EXTENSION = '.json';

/**
 * All keys of the folder, which is made with mode 0700 when absent, and beside them what is wrong with files that hold
 * none. Throws `StoredKeyError` for a folder that must not be used.
 */
export function readKeyFiles(dir: string): { keys: StoredKey[]; failures: unknown[] } {
  // A folder that a power failure takes away again takes the keys with it, however well they were written.
  if (mkdirSync(dir, { recursive: true, mode: 0o700 }) !== undefined) syncFolder(dirname(dir));
  refuseSharedMode(dir, statSync(dir).mode, 0o022, 'others may write to this folder; run: chmod 700');
  const keys: StoredKey[] = [];
  const failures: unknown[] = [];
  for (const name of readdirSync(dir).filter((one) => one.endsWith(EXTENSION))) {
    try {
      keys.push(readKeyFile(dir, name));
    } catch (error) {
      failures.push(error);
    }
  }
  return { keys, failures };
}

export function writeKeyFile(dir: string, key: StoredKey): void {
  writeWholeFile(join(dir, key.kid + EXTENSION), `${JSON.stringify(key, null, 2)}\n`);
}

function readKeyFile(dir: string, name: string): StoredKey {
  const path = join(dir, name);
  const file = openSync(path, 'r');
  try {
    refuseSharedMode(
      path,
      fstatSync(file).mode,
      0o077,
      'others may read this private key; run: chmod 600, and rotate',
    );
    return parseStoredKey(path, name.slice(0, -EXTENSION.length), readFileSync(file, 'utf8'));
  } finally {
    closeSync(file);
  }
}

export function refuseSharedMode(path: string, mode: number, forbidden: number, advice: string): void {
  // Windows has no such modes: node reports the same bits for every file.
  if (process.platform === 'win32' || (mode & forbidden) === 0) return;
  throw new StoredKeyError(path, `${advice} ${path}`);
}

import { createHash } from 'node:crypto';
import { closeSync, fstatSync, mkdirSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { syncFolder } from '../files/sync-folder.ts';
import { writeWholeFile } from '../files/whole-file.ts';
import { lockKeyFolder } from './key-folder-lock.ts';
import type { KeyStore, ReadKeys } from './key-store.ts';
import { parseStoredKey, type StoredKey, StoredKeyError } from './stored-key.ts';

const EXTENSION = '.json';

/** The keys of a data directory: one file per key in `keys`, which is created with mode 0700 if missing. */
export class KeyFolder implements KeyStore {
  readonly kind = 'folder';
  readonly #folder: string;
  readonly #lock: string;

  constructor(dataDir: string) {
    this.#folder = join(dataDir, 'keys');
    this.#lock = join(dataDir, 'keys.lock');
  }

  async read(): Promise<ReadKeys> {
    const folder = this.#folder;
    // Sync the parent: if a power failure removed the new folder, its keys would be lost, even if they were synced.
    if (mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined) syncFolder(dirname(folder));
    refuseSharedMode(folder, statSync(folder).mode, 0o022, 'others may write to this folder; run: chmod 700');
    const keys: StoredKey[] = [];
    const failures: unknown[] = [];
    const digest = createHash('sha256');
    for (const name of readdirSync(folder).sort()) {
      if (!name.endsWith(EXTENSION)) continue;
      const path = join(folder, name);
      try {
        const text = readForOwner(path);
        digest.update(`${name}\n${text}\n`);
        keys.push(parseStoredKey(path, name.slice(0, -EXTENSION.length), text));
      } catch (error) {
        failures.push(error);
      }
    }
    return { keys, failures, revision: digest.digest('base64url'), outdated: new Set() };
  }

  /** A server's watch reports changes, so a request does not read the files. */
  async hasChangedSince(): Promise<boolean> {
    return false;
  }

  async compareAndSwap(revision: string, keys: readonly StoredKey[]): Promise<string | null> {
    const unlock = await lockKeyFolder(this.#lock);
    try {
      if ((await this.read()).revision !== revision) return null;
      for (const key of keys) writeWholeFile(this.locationOf(key.kid), `${JSON.stringify(key, null, 2)}\n`);
      return (await this.read()).revision;
    } finally {
      unlock();
    }
  }

  locationOf(kid: string): string {
    return join(this.#folder, kid + EXTENSION);
  }
}

function readForOwner(path: string): string {
  const file = openSync(path, 'r');
  try {
    const advice = 'others may read this private key; run: chmod 600, and rotate';
    refuseSharedMode(path, fstatSync(file).mode, 0o077, advice);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

export function refuseSharedMode(path: string, mode: number, forbidden: number, advice: string): void {
  // Windows has no such modes: Node reports the same bits for every file.
  if (process.platform === 'win32' || (mode & forbidden) === 0) return;
  throw new StoredKeyError(path, `${advice} ${path}`);
}

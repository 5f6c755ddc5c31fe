import { join } from 'node:path';
import { readKeyFiles, writeKeyFile } from './key-file.ts';
import { lockKeyFolder } from './key-folder-lock.ts';
import type { KeyLease, KeyStore, ReadKeys } from './key-store.ts';
import type { StoredKey } from './stored-key.ts';

/** The keys of a data directory: a file for each in its `keys`. `KeyFolderWatch` tells of what others change there. */
export class KeyFolder implements KeyStore {
  readonly kind = 'folder';
  readonly #folder: string;
  readonly #lock: string;

  constructor(dataDir: string) {
    this.#folder = join(dataDir, 'keys');
    this.#lock = join(dataDir, 'keys.lock');
  }

  async read(): Promise<ReadKeys> {
    return { ...readKeyFiles(this.#folder), revision: null };
  }

  /** Only the watch can tell. */
  async hasChangedSince(): Promise<boolean> {
    return false;
  }

  async takeLease(): Promise<KeyLease> {
    const unlock = await lockKeyFolder(this.#lock);
    return {
      write: async (key: StoredKey) => writeKeyFile(this.#folder, key),
      end: async () => unlock(),
    };
  }

  isOutdated(): boolean {
    return false;
  }

  locationOf(kid: string): string {
    return join(this.#folder, `${kid}.json`);
  }
}

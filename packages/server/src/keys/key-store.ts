import type { StoredKey } from './stored-key.ts';

/** Where all processes that sign find the signing keys: a folder of files, or rows of a database. */
export interface KeyStore {
  /** All keys, and why some cannot be read. Throws `StoredKeyError` for a place that must not be used. */
  read(): Promise<ReadKeys>;
  /** Whether any key changed since the keys were read as `revision`. */
  hasChangedSince(revision: string): Promise<boolean>;
  /**
   * Writes keys durably, each whole or not at all and in this order, unless any key changed since `revision`. Returns
   * the new revision. Null: nothing was written.
   */
  compareAndSwap(revision: string, keys: readonly StoredKey[]): Promise<string | null>;
  /** The location of a key, for messages. */
  locationOf(kid: string): string;
  /** Where private parts are, for messages. */
  readonly kind: 'folder' | 'database';
}

export interface ReadKeys {
  keys: StoredKey[];
  failures: unknown[];
  revision: string;
  /** Kids whose seal is not made with the current key-encryption key yet. */
  outdated: ReadonlySet<string>;
}

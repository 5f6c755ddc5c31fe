import type { StoredKey } from './stored-key.ts';

/** Where signing keys lie for all who sign with them: a folder of files, or rows of a database. */
export interface KeyStore {
  /** All keys, and why some cannot be read. Throws `StoredKeyError` for a place that must not be used. */
  read(): Promise<ReadKeys>;
  /** Whether somebody changed them after they were read as `revision`. */
  hasChangedSince(revision: string): Promise<boolean>;
  /**
   * Writes keys durably, each whole or not at all and in this order, unless somebody changed any key since `revision`.
   * Answers the revision from then on; null: nothing was written.
   */
  compareAndSwap(revision: string, keys: readonly StoredKey[]): Promise<string | null>;
  /** What a message calls the place of a key. */
  locationOf(kid: string): string;
  /** Where private parts lie, as people are told. */
  readonly kind: 'folder' | 'database';
}

export interface ReadKeys {
  keys: StoredKey[];
  failures: unknown[];
  revision: string;
  /** Kids whose seal is not yet made with the current key-encryption key. */
  outdated: ReadonlySet<string>;
}

import type { StoredKey } from './stored-key.ts';

/** Where signing keys lie for all who sign with them: a folder of files, or rows of a database. */
export interface KeyStore {
  /** All keys, and what is wrong with those that cannot be read. Throws `StoredKeyError` for an unfit place. */
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
  /** What people are told of where a private part lies. */
  readonly kind: 'folder' | 'database';
}

export interface ReadKeys {
  keys: StoredKey[];
  failures: unknown[];
  revision: string;
  /** Of these, what is kept beside the private part is not yet under the key-encryption key of now. */
  outdated: ReadonlySet<string>;
}

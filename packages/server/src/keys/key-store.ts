/** Where signing keys lie for all who sign with them: a folder of files, or rows of a database. */
import type { StoredKey } from './stored-key.ts';

export interface KeyStore {
  /** All keys, and what is wrong with those that cannot be read. Throws `StoredKeyError` for an unfit place. */
  read(): Promise<ReadKeys>;
  /** Whether somebody changed them after they were read as `revision`. */
  hasChangedSince(revision: number | null): Promise<boolean>;
  /** Resolves once nobody else, in any process, may change them. Throws when somebody else does not stop changing. */
  takeLease(): Promise<KeyLease>;
  /** What a message calls the place of a key. */
  locationOf(kid: string): string;
  /** Whether what is kept of a key, beside its private part, is not yet under the key-encryption key of now. */
  isOutdated(kid: string): boolean;
  /** What people are told of where a private part lies. */
  readonly kind: 'folder' | 'database';
}

export interface ReadKeys {
  keys: StoredKey[];
  failures: unknown[];
  /** Null where nobody counts. */
  revision: number | null;
}

/** The turn to change the keys. */
export interface KeyLease {
  /**
   * Durably, whole or not at all. Throws when the turn was lost meanwhile: whoever has it now may have read the keys
   * as they were before.
   */
  write(key: StoredKey): Promise<void>;
  end(): Promise<void>;
}

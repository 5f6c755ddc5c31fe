/** Owns the gate's signing keys, wherever they lie: made, rotated, withdrawn, published, never shown. */

import type { Clock } from '../gate/kernel/clock.ts';
import type { Instant } from '../gate/kernel/instant.ts';
import type { Signer } from '../gate/kernel/signer.ts';
import type { SigningKeyChange } from '../gate/kernel/signing-key.ts';
import { KeptKeys } from './kept-keys.ts';
import { openKeyEncryption } from './key-encryption.ts';
import { KEYS_IN_CLEAR_FILES, type SigningKeySettings } from './key-settings.ts';
import type { KeyStore } from './key-store.ts';
import { openKeyToken } from './key-token.ts';
import { type KeptIn, PrivateParts } from './private-parts.ts';

export type ChangedBy = SigningKeyChange['by'];

/** A signer whose keys can be replaced while it works. */
export interface SigningKeys extends Signer {
  /**
   * Active → retired, next → active, and a new next. Answers the kid that signs from now on. Throws
   * `NextKeyTooYoungError`, unless `early`.
   */
  rotate(by: ChangedBy, options?: { early?: boolean }): Promise<string>;
  /** Rotates when the active key has signed for so many days; undefined when it is not due. */
  rotateIfDue(days: number): Promise<string | undefined>;
  /**
   * Takes the keys out of the JWKS and believes none of their signatures any more, at once. An active key is followed
   * by the next one. Without `kids`: all that can sign, now or next. Throws for a kid that is unknown here.
   */
  markCompromised(kids?: readonly string[]): Promise<readonly string[]>;
  /** Writes every private part as the settings want it kept; answers which were rewritten. */
  encrypt(): Promise<readonly string[]>;
  /** Takes a key that somebody made in the token as the next key. */
  adopt(wanted: { id?: string; label?: string }): Promise<string>;
  /** Reads the keys again, after another process changed them. */
  reload(): Promise<void>;
  /** Hands over the changes that stand in no audit log yet, and remembers that they do now. */
  recordChanges(record: (changes: readonly SigningKeyChange[]) => Promise<void>): Promise<void>;
  /** Whether there is a key-encryption key. */
  readonly encrypts: boolean;
  /** Where the private part is; null when it was dropped. */
  keptIn(kid: string): KeptIn | null;
  /** What an operator should look at. */
  complaints(): readonly string[];
  stats(): SigningStats;
  close(): Promise<void>;
}

/** For metrics. */
export interface SigningStats {
  failures: number;
  unreadableKeys: number;
  /** When the key that signs became active; null: none is. */
  activeSince: Instant | null;
}

export interface SigningKeysOptions {
  store: KeyStore;
  clock: Clock;
  settings?: SigningKeySettings;
}

/**
 * Opens the keys, making the first active and next key where there is none, and finishing a rotation that was cut off.
 *
 * Throws `StoredKeyError` when a key is malformed, its file readable by others than its owner, or it cannot be opened
 * with these settings.
 *
 * @example const signer = await openSigningKeys({ store: new KeyFolder('/var/lib/permitry'), clock: systemClock })
 */
export async function openSigningKeys(options: SigningKeysOptions): Promise<SigningKeys> {
  const { store, clock, settings = KEYS_IN_CLEAR_FILES } = options;
  const token = await openKeyToken(settings.pkcs11);
  const keys = new KeptKeys(store, clock, new PrivateParts(openKeyEncryption(settings), token));
  try {
    await keys.reload();
  } catch (error) {
    await keys.close();
    throw error;
  }
  return keys;
}

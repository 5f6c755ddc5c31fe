/**
 * Makes, rotates, withdraws and publishes the gate's signing keys, wherever they are stored. Private parts are never
 * shown.
 */
import type { Clock } from '../gate/kernel/clock.ts';
import { addSeconds, type Instant } from '../gate/kernel/instant.ts';
import type { Signer } from '../gate/kernel/signer.ts';
import type { SigningKeyChange } from '../gate/kernel/signing-key.ts';
import { KeptKeys } from './kept-keys.ts';
import { getKey, newKey, recorded, rotated, takenToRecord, withdrawn } from './key-changes.ts';
import { openKeyEncryption } from './key-encryption.ts';
import { activatedAt, activeOf, inState, isRotationDue, NEXT_KEY_LEAD_SECONDS } from './key-lifecycle.ts';
import { KEYS_IN_CLEAR_FILES, type SigningKeySettings } from './key-settings.ts';
import type { KeyStore } from './key-store.ts';
import { openKeyToken } from './key-token.ts';
import { type KeptIn, keptIn, madeInToken, PrivateParts, withoutPrivatePart } from './private-parts.ts';
import type { StoredKey } from './stored-key.ts';

/** For metrics. */
export interface SigningStats {
  failures: number;
  unreadableKeys: number;
  /** When the signing key became active. Null: none is active. */
  activeSince: Instant | null;
}

export interface SigningKeysOptions {
  store: KeyStore;
  clock: Clock;
  settings?: SigningKeySettings;
}

/** A signer whose keys can be replaced while it works. */
export class SigningKeys extends KeptKeys implements Signer {
  /**
   * Retires the active key, activates the next key and makes a new next key. Returns the kid that signs from now on.
   * Throws
   * `NextKeyTooYoungError`, unless `early`.
   */
  async rotate(by: SigningKeyChange['by'], { early = false } = {}): Promise<string> {
    // Repeats if the next key was withdrawn meanwhile.
    do await this.reload();
    while (!(await this.#rotate((keys, now) => rotated(keys, now, by, early))));
    return this.current.kid;
  }

  /** Rotates and returns the new kid if the active key has signed for this many days. Otherwise returns undefined. */
  async rotateIfDue(days: number): Promise<string | undefined> {
    const rule = (keys: readonly StoredKey[], now: Instant) =>
      days > 0 && isRotationDue(keys, days, now) ? rotated(keys, now, 'schedule') : [];
    if (rule(this.stored(), this.clock.now()).length === 0) return undefined;
    return (await this.#rotate(rule)) ? this.current.kid : undefined;
  }

  /**
   * Removes the keys from the JWKS and rejects all their signatures, from now on. If the active key is among them, the
   * next key replaces it. Without `kids`: all keys that sign or will sign. Throws for an unknown kid.
   */
  async markCompromised(kids?: readonly string[]): Promise<readonly string[]> {
    let named: readonly string[] = [];
    // This comes first: from here on the gate no longer publishes these keys, and the change is marked to be recorded.
    await this.change((keys, now) => {
      named = kids ?? [...inState(keys, 'active'), ...inState(keys, 'next')].map(({ kid }) => kid);
      return withdrawn(keys, now, named);
    });
    await this.settle();
    await this.#clearToken();
    return named;
  }

  /** Writes every private part in the form that the settings require. Returns the rewritten keys. */
  async encrypt(): Promise<readonly string[]> {
    const rewritten = await this.change(async (keys) => {
      const all = keys.map(async (key) => {
        const form = await this.parts.kept(key);
        if (form) return [{ ...withoutPrivatePart(key), ...form }];
        return this.outdated.has(key.kid) ? [key] : [];
      });
      return (await Promise.all(all)).flat();
    });
    return rewritten.map(({ kid }) => kid);
  }

  /** Takes a key that somebody made in the token as the next key. */
  async adopt(wanted: { id?: string; label?: string }): Promise<string> {
    const { token } = this.parts;
    if (!token)
      throw new Error('There is no token to take a key from; set PERMITRY_PKCS11_MODULE and its PIN.');
    const key = newKey(madeInToken(await token.find(wanted)), this.clock.now());
    await this.open(key);
    await this.change((keys) => {
      if (keys.some(({ kid }) => kid === key.kid))
        throw new Error(`The gate already has this key: ${key.kid}.`);
      return [key];
    });
    return key.kid;
  }

  /** Passes the changes that no audit log contains yet to `record`, then marks them as recorded. */
  async recordChanges(record: (changes: readonly SigningKeyChange[]) => Promise<void>): Promise<void> {
    if (!this.stored().some(({ unrecorded }) => unrecorded)) return;
    await this.settle();
    const taken = await this.change(takenToRecord);
    if (taken.length === 0) return;
    const signsNow = activeOf(this.stored())?.kid ?? null;
    const changes = taken.flatMap(({ kid, unrecorded = [] }) =>
      unrecorded.map((change) => ({
        ...change,
        kid,
        other: change.kind === 'compromised' ? signsNow : change.other,
      })),
    );
    await record(changes);
    // Marks the changes after writing the events: a crash in between records the changes twice. The other order could
    // lose them.
    await this.change((keys) => recorded(keys, changes));
  }

  /** Whether there is a key-encryption key. */
  get encrypts(): boolean {
    return this.parts.encrypts;
  }

  /** Where the private part is. Null after it was dropped. */
  keptIn(kid: string): KeptIn | null {
    return keptIn(getKey(this.stored(), kid), this.store.kind);
  }

  /** Problems that the operator should look at. */
  complaints(): readonly string[] {
    return this.stored().flatMap((key) => this.parts.complaint(key) ?? []);
  }

  stats(): SigningStats {
    const active = activeOf(this.stored());
    return {
      failures: this.failures,
      unreadableKeys: this.unreadable,
      activeSince: active ? (activatedAt(active) ?? active.created_at) : null,
    };
  }

  /** Writes the change together with a new next key. If no key can be made, nothing changes. */
  async #rotate(rule: (keys: readonly StoredKey[], now: Instant) => StoredKey[]): Promise<boolean> {
    const changed = await this.change(async (keys, now, makeNext) => {
      const rotated = rule(keys, now);
      if (rotated.length === 0 || inState(keys, 'next').length > 1) return rotated;
      return [await makeNext(), ...rotated];
    });
    await this.#clearToken();
    return changed.length > 0;
  }

  /**
   * Destroys private parts in the token that are no longer needed. For a compromised key, that is now. For a retired
   * key, it is when every server knows of the change. `complaints` reports any that cannot be destroyed.
   */
  async #clearToken(): Promise<void> {
    const { token } = this.parts;
    const heardOf = addSeconds(this.clock.now(), -NEXT_KEY_LEAD_SECONDS);
    const cleared = new Set<string>();
    for (const key of this.stored()) {
      const isRetired = key.state === 'retired' && (key.retired_at ?? heardOf) < heardOf;
      const isSpent = key.state === 'compromised' || isRetired;
      if (!token || !key.token || !isSpent) continue;
      await token.destroy(key.token.id).then(
        () => cleared.add(key.kid),
        () => undefined,
      );
    }
    if (cleared.size > 0)
      await this.change((keys) => keys.filter(({ kid }) => cleared.has(kid)).map(withoutPrivatePart));
  }
}

/**
 * Opens the keys. Makes an active and a next key if they are missing, and completes an interrupted rotation. Throws
 * `StoredKeyError` for a key that is malformed, whose file others can read, or that these settings cannot open.
 * @example const signer = await openSigningKeys({ store: new KeyFolder('/var/lib/permitry'), clock: systemClock })
 */
export async function openSigningKeys(options: SigningKeysOptions): Promise<SigningKeys> {
  const { store, clock, settings = KEYS_IN_CLEAR_FILES } = options;
  const token = await openKeyToken(settings.pkcs11);
  const keys = new SigningKeys(store, clock, new PrivateParts(openKeyEncryption(settings), token));
  try {
    await keys.reload();
  } catch (error) {
    await keys.close();
    throw error;
  }
  return keys;
}

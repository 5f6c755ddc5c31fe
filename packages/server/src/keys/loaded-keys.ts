import type { KeyObject } from 'node:crypto';
import type { PublicJwk } from '@permitry/protocol';
import { GateError } from '../gate/kernel/errors.ts';
import type { Signer } from '../gate/kernel/signer.ts';
import type { SigningKey } from '../gate/kernel/signing-key.ts';
import { isSignature } from './ecdsa-signature.ts';
import { activatedAt, activeOf, byAge } from './key-lifecycle.ts';
import { publicKeyOf, type SigningHandle } from './private-parts.ts';
import type { StoredKey } from './stored-key.ts';

interface LoadedKey {
  stored: StoredKey;
  publicJwk: PublicJwk;
  publicKey: KeyObject;
  /** Undefined for a key that must not sign. */
  handle: SigningHandle | undefined;
}

const PROBE_EVERY_MS = 2000;
const RETRY_AFTER_SECONDS = 1;

/** The keys in this process's memory. They sign and verify without reading a file. */
export class LoadedKeys implements Omit<Signer, 'refresh'> {
  readonly #keys = new Map<string, LoadedKey>();
  #current: { kid: string; alg: 'ES256' } = { kid: '', alg: 'ES256' };
  #failures = 0;
  #probed: { at: number; kid: string; answer: Promise<void> } | undefined;

  get current(): { kid: string; alg: 'ES256' } {
    return this.#current;
  }

  protected get failures(): number {
    return this.#failures;
  }

  async sign(kid: string, signingInput: string): Promise<string> {
    // A key that was just retired still signs work that began with it. Its private part stays in memory until the
    // process ends.
    const key = this.#keys.get(kid);
    try {
      if (!key?.handle || key.stored.state === 'next') throw new Error(`no key ${kid} to sign with`);
      return await key.handle.sign(signingInput);
    } catch (cause) {
      this.#failures += 1;
      throw new GateError(
        'service_unavailable',
        'The gate cannot sign at the moment. Nothing was changed; try again shortly.',
        { retry_after_seconds: RETRY_AFTER_SECONDS },
        { cause },
      );
    }
  }

  async verify(kid: string, signingInput: string, signature: string): Promise<boolean> {
    const key = this.#keys.get(kid);
    if (!key || key.stored.state === 'compromised') return false;
    return isSignature(signature, signingInput, key.publicKey);
  }

  publicKey(kid: string): PublicJwk | undefined {
    const key = this.#keys.get(kid);
    return key && key.stored.state !== 'compromised' ? key.publicJwk : undefined;
  }

  publicKeys(): readonly PublicJwk[] {
    // The order is fixed, so that an unchanged set is the same for every process and every start.
    return this.stored()
      .sort(byAge)
      .flatMap(({ kid }) => this.publicKey(kid) ?? []);
  }

  keys(): readonly SigningKey[] {
    return this.stored().sort(byAge).map(toSigningKey);
  }

  /** Makes a real signature at most once in two seconds. Callers in between share the result. */
  assertCanSign(): Promise<void> {
    const { kid } = this.#current;
    const now = Date.now();
    if (!this.#probed || this.#probed.kid !== kid || now - this.#probed.at >= PROBE_EVERY_MS) {
      this.#probed = { at: now, kid, answer: this.sign(kid, 'probe').then(() => undefined) };
    }
    return this.#probed.answer;
  }

  protected stored(): StoredKey[] {
    return [...this.#keys.values()].map((key) => key.stored);
  }

  /** Whether the private part must be opened before the key can be loaded. */
  protected wants(stored: StoredKey): boolean {
    return (stored.state === 'next' || stored.state === 'active') && !this.#keys.get(stored.kid)?.handle;
  }

  /** Loads the key's current state. A private part that was already opened stays, until the key is compromised. */
  protected load(stored: StoredKey, opened?: SigningHandle): void {
    const kept = this.#keys.get(stored.kid);
    // A compromised key stays compromised, even if somebody restores an older row or file with a valid seal.
    if (kept?.stored.state === 'compromised' && stored.state !== 'compromised') return;
    const { kty, crv, x, y, kid, alg, use } = stored;
    this.#keys.set(kid, {
      stored,
      publicJwk: kept?.publicJwk ?? { kty, crv, x, y, kid, alg, use },
      publicKey: kept?.publicKey ?? publicKeyOf(stored),
      handle: stored.state === 'compromised' ? undefined : (opened ?? kept?.handle),
    });
    const active = activeOf(this.stored());
    if (active && active.kid !== this.#current.kid) this.#current = { kid: active.kid, alg: 'ES256' };
  }
}

function toSigningKey(key: StoredKey): SigningKey {
  return {
    kid: key.kid,
    state: key.state,
    createdAt: key.created_at,
    activatedAt: activatedAt(key),
    retiredAt: key.retired_at ?? (key.state === 'retired' ? key.changed_at : null),
    compromisedAt: key.compromised_at ?? (key.state === 'compromised' ? key.changed_at : null),
  };
}

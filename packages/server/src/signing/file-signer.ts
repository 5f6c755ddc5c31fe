/** Owns the gate's signing keys, one file each: made, rotated, published, never shown. */
import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign,
  verify,
} from 'node:crypto';
import { join } from 'node:path';
import type { PublicJwk } from '@permitry/protocol';
import type { Clock, Signer } from '../gate/ports.ts';
import { decodeSignature, derToRaw, rawToDer } from './ecdsa-signature.ts';
import { KeyFileError, type KeyState, readKeyFiles, type StoredKey, writeKeyFile } from './key-file.ts';
import { thumbprint } from './thumbprint.ts';

interface HeldKey {
  stored: StoredKey;
  publicJwk: PublicJwk;
  publicKey: KeyObject;
  /** Undefined for a key that may not sign. */
  privateKey: KeyObject | undefined;
}

/** A signer whose keys can be replaced while it works. */
export interface FileSigner extends Signer {
  /** Active → retired, next → active, and a new next. Answers the kid that signs from now on. */
  rotate(): string;
  /**
   * Takes the key out of the JWKS and believes none of its signatures any more, at once. An active key is followed
   * by the next one. Throws for a kid that is unknown here.
   */
  markCompromised(kid: string): void;
  /** Reads the folder again, after another process rotated. */
  reload(): void;
}

/**
 * Opens the keys under `dataDir`/keys, making the first active and next key where there is none, and finishing a
 * rotation that was cut off.
 *
 * Throws `KeyFileError` when a key file is malformed or readable by others than its owner.
 *
 * @example const signer = openFileSigner('/var/lib/permitry', systemClock)
 */
export function openFileSigner(dataDir: string, clock: Clock): FileSigner {
  return new FolderOfKeys(join(dataDir, 'keys'), clock);
}

class FolderOfKeys implements FileSigner {
  readonly #dir: string;
  readonly #clock: Clock;
  readonly #keys = new Map<string, HeldKey>();
  #current: { kid: string; alg: 'ES256' } = { kid: '', alg: 'ES256' };

  constructor(dir: string, clock: Clock) {
    this.#dir = dir;
    this.#clock = clock;
    this.reload();
  }

  get current(): { kid: string; alg: 'ES256' } {
    return this.#current;
  }

  async sign(kid: string, signingInput: string): Promise<string> {
    // A key retired a moment ago still signs what was begun with it: its private part leaves memory with the process.
    const key = this.#keys.get(kid);
    if (!key?.privateKey || key.stored.state === 'next') throw new Error(`no key ${kid} to sign with`);
    return derToRaw(sign('sha256', Buffer.from(signingInput), key.privateKey)).toString('base64url');
  }

  async verify(kid: string, signingInput: string, signature: string): Promise<boolean> {
    const key = this.#keys.get(kid);
    if (!key || key.stored.state === 'compromised') return false;
    const raw = decodeSignature(signature);
    return raw !== undefined && verify('sha256', Buffer.from(signingInput), key.publicKey, rawToDer(raw));
  }

  publicKey(kid: string): PublicJwk | undefined {
    const key = this.#keys.get(kid);
    return key && key.stored.state !== 'compromised' ? key.publicJwk : undefined;
  }

  publicKeys(): readonly PublicJwk[] {
    return [...this.#keys.values()]
      .filter((key) => key.stored.state !== 'compromised')
      .map((key) => key.publicJwk);
  }

  rotate(): string {
    const before = this.#inState('active');
    // In this order, so that a crash at any point leaves a key that signs and nothing published disappears.
    this.#generate('next');
    const [next] = this.#inState('next');
    if (next) this.#promote(next);
    for (const key of before) this.#retire(key);
    return this.#current.kid;
  }

  markCompromised(kid: string): void {
    const key = this.#keys.get(kid);
    if (!key) throw new Error(`no key ${kid} here`);
    this.#save(withoutPrivatePart(key.stored, 'compromised'));
    this.#settle();
  }

  reload(): void {
    const stored = readKeyFiles(this.#dir);
    for (const key of stored) this.#hold(key);
    this.#settle();
  }

  /** Exactly one active key, the newest activated; at least one next. */
  #settle(): void {
    const [newest, ...older] = this.#inState('active').sort((a, b) => b.activation - a.activation);
    for (const key of older) this.#retire(key);
    if (newest) this.#current = { kid: newest.kid, alg: 'ES256' };
    else this.#promote(this.#inState('next')[0] ?? this.#generate('next'));
    if (this.#inState('next').length === 0) this.#generate('next');
  }

  /** Oldest first. */
  #inState(state: KeyState): StoredKey[] {
    return [...this.#keys.values()]
      .map((key) => key.stored)
      .filter((key) => key.state === state)
      .sort((a, b) => (a.created_at < b.created_at ? -1 : a.created_at > b.created_at ? 1 : 0));
  }

  #generate(state: KeyState): StoredKey {
    const { x, y, d } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
      format: 'jwk',
    });
    if (!x || !y || !d) throw new Error('the new key has no coordinates');
    const now = this.#clock.now();
    return this.#save({
      kty: 'EC',
      crv: 'P-256',
      x,
      y,
      d,
      alg: 'ES256',
      use: 'sig',
      kid: thumbprint({ x, y }),
      state,
      activation: 0,
      created_at: now,
      changed_at: now,
    });
  }

  #promote(key: StoredKey): void {
    const last = Math.max(0, ...[...this.#keys.values()].map((held) => held.stored.activation));
    this.#save({ ...key, state: 'active', activation: last + 1 });
    this.#current = { kid: key.kid, alg: 'ES256' };
  }

  #retire(key: StoredKey): void {
    this.#save(withoutPrivatePart(key, 'retired'));
  }

  #save(key: StoredKey): StoredKey {
    const dated = { ...key, changed_at: this.#clock.now() };
    writeKeyFile(this.#dir, dated);
    this.#hold(dated);
    return dated;
  }

  #hold(stored: StoredKey): void {
    const kept = this.#keys.get(stored.kid);
    const { kty, crv, x, y, kid, alg, use } = stored;
    const publicKey = kept?.publicKey ?? createPublicKey({ format: 'jwk', key: { kty, crv, x, y } });
    const held: HeldKey = {
      stored,
      publicJwk: kept?.publicJwk ?? { kty, crv, x, y, kid, alg, use },
      publicKey,
      privateKey: this.#privateKeyOf(stored, publicKey, kept),
    };
    this.#keys.set(kid, held);
  }

  #privateKeyOf(stored: StoredKey, publicKey: KeyObject, kept: HeldKey | undefined): KeyObject | undefined {
    if (stored.state === 'compromised') return undefined;
    if (kept?.privateKey || stored.d === undefined) return kept?.privateKey;
    const { kty, crv, x, y, d } = stored;
    const privateKey = createPrivateKey({ format: 'jwk', key: { kty, crv, x, y, d } });
    const probe = Buffer.from(stored.kid);
    if (!verify('sha256', probe, publicKey, sign('sha256', probe, privateKey))) {
      throw new KeyFileError(
        join(this.#dir, `${stored.kid}.json`),
        'its private and public part do not match',
      );
    }
    return privateKey;
  }
}

function withoutPrivatePart(key: StoredKey, state: KeyState): StoredKey {
  const { d: _gone, ...rest } = key;
  return { ...rest, state };
}

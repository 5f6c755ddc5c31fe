import { createHash, createHmac, hkdfSync, type KeyObject, timingSafeEqual } from 'node:crypto';
import { CompactEncrypt, compactDecrypt, decodeProtectedHeader } from 'jose';
import type { SigningKeySettings } from './key-settings.ts';

const ALG = 'A256GCMKW';
const ENC = 'A256GCM';
/** How many of the 43 characters of a thumbprint an ID has: enough to tell an operator's few keys apart. */
const ID_CHARACTERS = 16;

/** A private part that cannot be opened. The message says what to do and contains nothing secret. */
export class KeyEncryptionError extends Error {}

/**
 * Encrypts private JWKs at rest as compact JWE (RFC 7516). Each file has a new content key (`A256GCM`), wrapped by the
 * key-encryption key (`A256GCMKW`). The authenticated header names the key-encryption key (`kid`) and the signing key
 * inside (`signing_kid`), so that one file's secret cannot pass as another's.
 */
export class KeyEncryption {
  readonly #current: KeyObject;
  readonly #byId: ReadonlyMap<string, KeyObject>;
  readonly id: string;

  constructor(current: KeyObject, previous: KeyObject | null) {
    this.#current = current;
    this.id = idOf(current);
    this.#byId = new Map([current, ...(previous ? [previous] : [])].map((key) => [idOf(key), key]));
  }

  async encrypt(signingKid: string, secret: string): Promise<string> {
    return new CompactEncrypt(Buffer.from(secret))
      .setProtectedHeader({ alg: ALG, enc: ENC, cty: 'jwk+json', kid: this.id, signing_kid: signingKid })
      .encrypt(this.#current);
  }

  /** Throws `KeyEncryptionError`. */
  async decrypt(signingKid: string, jwe: string): Promise<string> {
    const header = readHeader(jwe);
    const key = this.#byId.get(String(header.kid));
    if (!key) {
      throw new KeyEncryptionError(`is encrypted under ${this.#otherKey(header.kid)}`);
    }
    if (header.signing_kid !== signingKid)
      throw new KeyEncryptionError('holds the private part of another key');
    try {
      const { plaintext } = await compactDecrypt(jwe, key, {
        keyManagementAlgorithms: [ALG],
        contentEncryptionAlgorithms: [ENC],
      });
      return Buffer.from(plaintext).toString();
    } catch {
      throw new KeyEncryptionError('cannot be decrypted: the file was altered or damaged');
    }
  }

  /** Makes a seal that only a holder of the key-encryption key can make: the ID of that key, then an HMAC-SHA256. */
  seal(text: string): string {
    return sealUnder(this.#current, text);
  }

  /** Throws `KeyEncryptionError`. */
  assertSealed(text: string, seal: string): void {
    const [id = ''] = seal.split('.');
    const key = this.#byId.get(id);
    if (!key) throw new KeyEncryptionError(`was sealed under ${this.#otherKey(id)}`);
    const [given, expected] = [Buffer.from(seal), Buffer.from(sealUnder(key, text))];
    if (given.length !== expected.length || !timingSafeEqual(given, expected))
      throw new KeyEncryptionError('was altered by somebody who does not hold the key-encryption key');
  }

  isSealCurrent(seal: string): boolean {
    return seal.startsWith(`${this.id}.`);
  }

  /** Whether the text is encrypted under the current key-encryption key, and not the previous one. */
  isCurrent(jwe: string): boolean {
    return readHeader(jwe).kid === this.id;
  }

  #otherKey(id: unknown): string {
    return `the key-encryption key ${id}, and the one given is ${[...this.#byId.keys()].join(' or ')}; set PERMITRY_KEY_ENCRYPTION_KEY to that one, or PERMITRY_KEY_ENCRYPTION_KEY_PREVIOUS while you replace it`;
  }
}

/** Null without a key-encryption key. */
export function openKeyEncryption(
  settings: Pick<SigningKeySettings, 'keyEncryptionKey' | 'previousKeyEncryptionKey'>,
): KeyEncryption | null {
  const { keyEncryptionKey, previousKeyEncryptionKey } = settings;
  return keyEncryptionKey && new KeyEncryption(keyEncryptionKey, previousKeyEncryptionKey);
}

/** Uses a separate key derived from the key-encryption key (HKDF, RFC 5869), so that no key has two uses. */
function sealUnder(keyEncryptionKey: KeyObject, text: string): string {
  const key = Buffer.from(hkdfSync('sha256', keyEncryptionKey, '', 'permitry signing key records', 32));
  return `${idOf(keyEncryptionKey)}.${createHmac('sha256', key).update(text).digest('base64url')}`;
}

/** The first characters of the RFC 7638 thumbprint. They reveal nothing about a key of 256 random bits. */
function idOf(key: KeyObject): string {
  const canonical = JSON.stringify({ k: key.export().toString('base64url'), kty: 'oct' });
  return createHash('sha256').update(canonical).digest('base64url').slice(0, ID_CHARACTERS);
}

function readHeader(jwe: string): { kid?: unknown; signing_kid?: unknown } {
  try {
    return decodeProtectedHeader(jwe);
  } catch {
    throw new KeyEncryptionError('does not hold an encrypted private part: the file was altered or damaged');
  }
}

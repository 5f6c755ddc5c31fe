import { createHash, type KeyObject } from 'node:crypto';
import { CompactEncrypt, compactDecrypt, decodeProtectedHeader } from 'jose';

const ALG = 'A256GCMKW';
const ENC = 'A256GCM';
/** Of the 43 characters of a thumbprint: enough to tell an operator's few keys apart. */
const ID_CHARACTERS = 16;

/** A private part that cannot be opened; the message says what to do and holds nothing secret. */
export class KeyEncryptionError extends Error {}

/**
 * Private JWKs at rest: JWE compact (RFC 7516), a fresh content key for each file (`A256GCM`), wrapped by the
 * key-encryption key (`A256GCMKW`). The header, which is authenticated, names the key-encryption key (`kid`) and the
 * signing key inside (`signing_kid`), so that one file's secret cannot be passed off as another's.
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
      throw new KeyEncryptionError(
        `is encrypted under the key-encryption key ${header.kid}, and the one given is ${[...this.#byId.keys()].join(' or ')}; set PERMITRY_KEY_ENCRYPTION_KEY to that one, or PERMITRY_KEY_ENCRYPTION_KEY_PREVIOUS while you replace it`,
      );
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

  /** Whether it is encrypted under the key in use, and not under the one before. */
  isCurrent(jwe: string): boolean {
    return readHeader(jwe).kid === this.id;
  }
}

/** The first characters of the RFC 7638 thumbprint: of 256 random bits, nothing can be learnt from it. */
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

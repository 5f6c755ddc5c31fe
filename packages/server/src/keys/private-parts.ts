import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  type KeyObject,
  sign as signNow,
} from 'node:crypto';
import { availableParallelism } from 'node:os';
import { promisify } from 'node:util';
import { derToRaw, isSignature } from './ecdsa-signature.ts';
import { type KeyEncryption, KeyEncryptionError } from './key-encryption.ts';
import type { KeyStore } from './key-store.ts';
import type { KeyToken, TokenKey } from './key-token.ts';
import type { PrivateForm, StoredKey } from './stored-key.ts';
import { thumbprint } from './thumbprint.ts';

/** Signs in another thread if there is a second core. On a single core, handing over costs more than it saves. */
const sign = availableParallelism() > 1 ? promisify(signNow) : signNow;

/** An opened private part. */
export interface SigningHandle {
  /** 64 bytes r‖s over the SHA-256 of the text, base64url. */
  sign(signingInput: string): Promise<string>;
}

/** A new key, with its private part in the form to store. */
export interface MadeKey extends PrivateForm {
  x: string;
  y: string;
}

/** Makes, opens and drops private parts, wherever the operator keeps them. */
export class PrivateParts {
  readonly #encryption: KeyEncryption | null;
  readonly token: KeyToken | null;

  constructor(encryption: KeyEncryption | null, token: KeyToken | null) {
    this.#encryption = encryption;
    this.token = token;
  }

  get encrypts(): boolean {
    return this.#encryption !== null;
  }

  async make(): Promise<MadeKey> {
    if (this.token) return madeInToken(await this.token.generate());
    const { x, y, d } = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
      format: 'jwk',
    });
    if (!x || !y || !d) throw new Error('the new key has no coordinates');
    return { x, y, ...(await this.#keep({ x, y, d })) };
  }

  /** Throws an `Error` with a message that continues after the file name. */
  async open(key: StoredKey): Promise<SigningHandle> {
    if (key.token) {
      const { token } = this;
      const { id } = key.token;
      if (token) return { sign: (signingInput) => token.sign(id, signingInput) };
      throw new Error('its private part is in a PKCS#11 token; set PERMITRY_PKCS11_MODULE and its PIN');
    }
    const privateKey = createPrivateKey({
      format: 'jwk',
      key: { kty: key.kty, crv: key.crv, x: key.x, y: key.y, d: await this.#reveal(key) },
    });
    return {
      sign: async (signingInput) =>
        derToRaw(await sign('sha256', Buffer.from(signingInput), privateKey)).toString('base64url'),
    };
  }

  /** Opens the private part and proves that it belongs to this key's public part. */
  async openProved(key: StoredKey): Promise<SigningHandle> {
    const handle = await this.open(key);
    if (isSignature(await handle.sign(key.kid), key.kid, publicKeyOf(key))) return handle;
    throw new Error('its private and public part do not match');
  }

  /**
   * The form in which the private part should be stored instead. Undefined if it has that form already, or is not
   * stored here.
   */
  async kept(key: StoredKey): Promise<PrivateForm | undefined> {
    if (!this.#encryption || key.token || !hasPrivatePart(key)) return undefined;
    if (key.encrypted !== undefined && this.#encryption.isCurrent(key.encrypted)) return undefined;
    return this.#keep({ x: key.x, y: key.y, d: await this.#reveal(key) });
  }

  /** A sentence for the operator if the private part is not stored as the settings require. Otherwise undefined. */
  complaint(key: StoredKey): string | undefined {
    if (key.token && key.state === 'compromised') {
      return `the private part of ${key.kid}, which is compromised, is still in the token as object ${key.token.id}; destroy it there`;
    }
    if (this.token && !key.token && hasPrivatePart(key)) {
      return `the private part of ${key.kid} is not in the token; it is erased here after you rotate the key: permitry signing-keys rotate`;
    }
    if (this.#encryption && key.d !== undefined) {
      return `the private part of ${key.kid} is stored unencrypted although a key-encryption key is set; run: permitry signing-keys encrypt`;
    }
    return undefined;
  }

  async close(): Promise<void> {
    await this.token?.close();
  }

  async #keep({ x, y, d }: { x: string; y: string; d: string }): Promise<PrivateForm> {
    if (!this.#encryption) return { d };
    const kid = thumbprint({ x, y });
    const jwk = JSON.stringify({ kty: 'EC', crv: 'P-256', x, y, d, kid });
    return { encrypted: await this.#encryption.encrypt(kid, jwk) };
  }

  async #reveal(key: StoredKey): Promise<string> {
    if (key.encrypted === undefined) return key.d ?? '';
    if (!this.#encryption) {
      throw new Error(
        'its private part is encrypted; set PERMITRY_KEY_ENCRYPTION_KEY, or PERMITRY_KEY_ENCRYPTION_KEY_FILE',
      );
    }
    const jwk = JSON.parse(await this.#encryption.decrypt(key.kid, key.encrypted)) as {
      kid?: unknown;
      d?: unknown;
    };
    if (jwk.kid !== key.kid || typeof jwk.d !== 'string') {
      throw new KeyEncryptionError('holds the private part of another key');
    }
    return jwk.d;
  }
}

export function madeInToken({ x, y, id, label }: TokenKey): MadeKey {
  return { x, y, token: { id, label } };
}

export type KeptIn = 'file' | 'encrypted file' | 'database' | 'token';

export function keptIn(key: StoredKey, store: KeyStore['kind']): KeptIn | null {
  if (key.token) return 'token';
  if (key.encrypted !== undefined) return store === 'database' ? 'database' : 'encrypted file';
  return key.d === undefined ? null : 'file';
}

function hasPrivatePart(key: StoredKey): boolean {
  return key.d !== undefined || key.encrypted !== undefined || key.token !== undefined;
}

/** The key with its private part, if it has one, encrypted under the current key-encryption key. */
export async function keptUnder(encryption: KeyEncryption, key: StoredKey): Promise<StoredKey> {
  const form = await new PrivateParts(encryption, null).kept(key);
  return form ? { ...withoutPrivatePart(key), ...form } : key;
}

export function publicKeyOf({ kty, crv, x, y }: StoredKey): KeyObject {
  return createPublicKey({ format: 'jwk', key: { kty, crv, x, y } });
}

export function withoutPrivatePart(key: StoredKey): StoredKey {
  const { d: _clear, encrypted: _encrypted, token: _token, ...rest } = key;
  return rest;
}

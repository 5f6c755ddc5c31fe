/**
 * Encrypts small secrets in the database under a key of 32 random bytes. This key is stored beside the signing keys,
 * and encrypted like them if there is a key-encryption key.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { GateError } from '../gate/kernel/errors.ts';
import type { SecretEncryption } from '../gate/kernel/secret-encryption.ts';
import { type KeyEncryption, openKeyEncryption } from './key-encryption.ts';
import type { SigningKeySettings } from './key-settings.ts';

/** Bound into the encryption of the key, so that no other encrypted text can pass as this key. */
const NAME = 'secrets';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const FORM = 'v1.';

/** Where the key is stored. */
export interface SecretKeyStore {
  /** For messages. */
  readonly name: string;
  readonly mayLieInClear: boolean;
  read(): Promise<string | undefined>;
  /** Stores the key. If another process has already stored a key, that one stays. */
  make(content: string): Promise<void>;
  rewrite(content: string): Promise<void>;
}

/**
 * Opens the encryption, and makes its key if there is none. A key that cannot be used does not stop the gate from
 * starting: only operations that need a sealed secret are refused.
 */
export async function openSecretEncryption(
  store: SecretKeyStore,
  settings: Pick<SigningKeySettings, 'keyEncryptionKey' | 'previousKeyEncryptionKey'>,
  onError: (error: unknown, what: string) => void,
): Promise<SecretEncryption> {
  try {
    return encryptionUnder(await openKey(store, openKeyEncryption(settings)));
  } catch (error) {
    onError(error, `the key of sealed secrets (${store.name}) cannot be used`);
    return unusable(error);
  }
}

/** AES-256-GCM, which also authenticates the purpose. */
function encryptionUnder(key: Buffer): SecretEncryption {
  return {
    encrypt(purpose, text) {
      const nonce = randomBytes(NONCE_BYTES);
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose));
      const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final()]);
      return FORM + Buffer.concat([sealed, cipher.getAuthTag()]).toString('base64url');
    },
    decrypt(purpose, sealed) {
      if (!sealed.startsWith(FORM)) return undefined;
      const bytes = Buffer.from(sealed.slice(FORM.length), 'base64url');
      if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
      const end = bytes.length - TAG_BYTES;
      const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(purpose))
        .setAuthTag(bytes.subarray(end));
      try {
        const opened = decipher.update(bytes.subarray(NONCE_BYTES, end));
        return Buffer.concat([opened, decipher.final()]).toString('utf8');
      } catch {
        return undefined;
      }
    },
  };
}

function unusable(cause: unknown): SecretEncryption {
  const refuse = (): never => {
    throw new GateError(
      'service_unavailable',
      'A secret cannot be decrypted at the moment, because its key is missing.',
      { retry_after_seconds: 60 },
      { cause },
    );
  };
  return { encrypt: refuse, decrypt: refuse };
}

async function openKey(store: SecretKeyStore, encryption: KeyEncryption | null): Promise<Buffer> {
  const { key, isOutdated } = await readKey(await findOrMake(store, encryption), store, encryption);
  if (encryption && isOutdated) await store.rewrite(await contentOf(key, encryption));
  return key;
}

async function readKey(
  content: string,
  store: SecretKeyStore,
  encryption: KeyEncryption | null,
): Promise<{ key: Buffer; isOutdated: boolean }> {
  let value: { k?: unknown; jwe?: unknown };
  try {
    value = JSON.parse(content);
  } catch {
    // The parser's own message quotes the text, which is a secret.
    throw new Error('is not JSON');
  }
  const { k, jwe } = value;
  if (typeof jwe === 'string') {
    if (!encryption) throw new Error('is encrypted; set PERMITRY_KEY_ENCRYPTION_KEY');
    return { key: toKey(await encryption.decrypt(NAME, jwe)), isOutdated: !encryption.isCurrent(jwe) };
  }
  if (!store.mayLieInClear) throw new Error('does not hold an encrypted key');
  return { key: toKey(k), isOutdated: encryption !== null };
}

/**
 * Checks that the key can be opened, and writes nothing. A missing key is not an error, because the gate makes it when
 * it starts.
 * @throws Error whose message the caller puts after the name of the place
 */
export async function assertSecretKeyOpens(
  store: SecretKeyStore,
  encryption: KeyEncryption | null,
): Promise<void> {
  const found = await store.read();
  if (found !== undefined) await readKey(found, store, encryption);
}

/** The content of the key for another place, where it opens the same secrets. Undefined if there is no key yet. */
export async function carriedSecretKey(
  store: SecretKeyStore,
  encryption: KeyEncryption,
): Promise<string | undefined> {
  const found = await store.read();
  if (found === undefined) return undefined;
  return contentOf((await readKey(found, store, encryption)).key, encryption);
}

/**
 * Two processes that open a new gate at the same time must agree on one key. The second one reads the key that the
 * first one stored.
 */
async function findOrMake(store: SecretKeyStore, encryption: KeyEncryption | null): Promise<string> {
  const found = await store.read();
  if (found !== undefined) return found;
  await store.make(await contentOf(randomBytes(KEY_BYTES), encryption));
  const made = await store.read();
  if (made === undefined) throw new Error('was removed while it was created');
  return made;
}

function toKey(text: unknown): Buffer {
  const key = typeof text === 'string' ? Buffer.from(text, 'base64url') : Buffer.alloc(0);
  if (key.length !== KEY_BYTES) throw new Error('does not hold a key of 32 bytes');
  return key;
}

async function contentOf(key: Buffer, encryption: KeyEncryption | null): Promise<string> {
  const k = key.toString('base64url');
  return JSON.stringify(encryption ? { jwe: await encryption.encrypt(NAME, k) } : { k });
}

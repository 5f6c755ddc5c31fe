/**
 * Owns the key under which small secrets lie in the database: 32 random bytes in `keys/secrets.key`, encrypted like the
 * signing keys where there is a key-encryption key.
 */
import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { existsSync, linkSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { SecretBox } from '../gate/accounts/secret-box.ts';
import { GateError } from '../gate/errors.ts';
import { KeyEncryption } from './key-encryption.ts';
import { refuseSharedMode, syncFolder } from './key-file.ts';
import type { SigningKeySettings } from './key-settings.ts';

const FILE = 'secrets.key';
/** Bound into the encryption of the file, so that no other encrypted file passes for it. */
const NAME = 'secrets';
const KEY_BYTES = 32;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;
const FORM = 'v1.';

/**
 * Opens the box of a data directory. A key that cannot be used does not keep the gate from starting: whoever needs a
 * sealed secret then is refused.
 */
export async function openSecretBox(
  dataDir: string,
  {
    keyEncryptionKey,
    previousKeyEncryptionKey,
  }: Pick<SigningKeySettings, 'keyEncryptionKey' | 'previousKeyEncryptionKey'>,
  onError: (error: unknown, what: string) => void,
): Promise<SecretBox> {
  const folder = join(dataDir, 'keys');
  const encryption = keyEncryptionKey ? new KeyEncryption(keyEncryptionKey, previousKeyEncryptionKey) : null;
  try {
    return new FileSecretBox(await openKey(folder, encryption));
  } catch (error) {
    onError(error, `the key of sealed secrets (${join(folder, FILE)}) cannot be used`);
    return new ClosedSecretBox(error);
  }
}

/** AES-256-GCM, the purpose authenticated with it. */
class FileSecretBox implements SecretBox {
  readonly #key: Buffer;

  constructor(key: Buffer) {
    this.#key = key;
  }

  seal(purpose: string, text: string): string {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce).setAAD(Buffer.from(purpose));
    const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final()]);
    return FORM + Buffer.concat([sealed, cipher.getAuthTag()]).toString('base64url');
  }

  open(purpose: string, sealed: string): string | undefined {
    if (!sealed.startsWith(FORM)) return undefined;
    const bytes = Buffer.from(sealed.slice(FORM.length), 'base64url');
    if (bytes.length < NONCE_BYTES + TAG_BYTES) return undefined;
    const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, NONCE_BYTES))
      .setAAD(Buffer.from(purpose))
      .setAuthTag(bytes.subarray(bytes.length - TAG_BYTES));
    try {
      const opened = decipher.update(bytes.subarray(NONCE_BYTES, bytes.length - TAG_BYTES));
      return Buffer.concat([opened, decipher.final()]).toString('utf8');
    } catch {
      return undefined;
    }
  }
}

class ClosedSecretBox implements SecretBox {
  readonly #cause: unknown;

  constructor(cause: unknown) {
    this.#cause = cause;
  }

  seal(): never {
    throw new GateError(
      'service_unavailable',
      'A secret cannot be read at the moment: the key it is encrypted under is not there.',
      { retry_after_seconds: 60 },
      { cause: this.#cause },
    );
  }

  open(): never {
    return this.seal();
  }
}

async function openKey(folder: string, encryption: KeyEncryption | null): Promise<Buffer> {
  const path = join(folder, FILE);
  if (!existsSync(path)) await makeKey(path, encryption);
  refuseSharedMode(path, statSync(path).mode, 0o077, 'others may read this key; run: chmod 600');
  const { k, jwe } = JSON.parse(readFileSync(path, 'utf8')) as { k?: unknown; jwe?: unknown };
  if (typeof jwe === 'string') {
    if (!encryption) throw new Error('is encrypted; set PERMITRY_KEY_ENCRYPTION_KEY');
    const key = toKey(await encryption.decrypt(NAME, jwe));
    if (!encryption.isCurrent(jwe)) await rewrite(path, key, encryption);
    return key;
  }
  const key = toKey(k);
  if (encryption) await rewrite(path, key, encryption);
  return key;
}

function toKey(text: unknown): Buffer {
  const key = typeof text === 'string' ? Buffer.from(text, 'base64url') : Buffer.alloc(0);
  if (key.length !== KEY_BYTES) throw new Error('does not hold a key of 32 bytes');
  return key;
}

async function contentOf(key: Buffer, encryption: KeyEncryption | null): Promise<string> {
  const k = key.toString('base64url');
  const content = encryption ? { jwe: await encryption.encrypt(NAME, k) } : { k };
  return `${JSON.stringify(content)}\n`;
}

/** Two who open a new gate at once must agree: the one whose link comes second reads the other's. */
async function makeKey(path: string, encryption: KeyEncryption | null): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  writeFileSync(temporary, await contentOf(randomBytes(KEY_BYTES), encryption), { mode: 0o600, flush: true });
  try {
    linkSync(temporary, path);
    syncFolder(dirname(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}

async function rewrite(path: string, key: Buffer, encryption: KeyEncryption): Promise<void> {
  const temporary = `${path}.${randomBytes(6).toString('hex')}`;
  writeFileSync(temporary, await contentOf(key, encryption), { mode: 0o600, flush: true });
  renameSync(temporary, path);
  syncFolder(dirname(path));
}

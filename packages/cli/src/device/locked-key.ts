/**
 * A private key locked with a passphrase. scrypt (RFC 7914) derives a key from the passphrase, and AES-256-GCM encrypts
 * the private key with it.
 */
import { createCipheriv, createDecipheriv, randomBytes, type ScryptOptions, scrypt } from 'node:crypto';

/** The form in a key file. Bytes are base64url. */
export interface LockedKey {
  kdf: { name: 'scrypt'; N: number; r: number; p: number; salt: string };
  cipher: { name: 'aes-256-gcm'; iv: string; tag: string; text: string };
}

/** Each guess costs 128 MiB and about a third of a second. */
const COST = { N: 2 ** 17, r: 8, p: 1 };
/** Unlocking uses at most sixteen times as much memory, so that a file from elsewhere cannot exhaust the machine. */
const MOST_MEMORY = 2 ** 31;
const SALT_BYTES = 16;
const IV_BYTES = 12;
const KEY_BYTES = 32;

/**
 * @param secret Nobody may read it without the passphrase.
 * @param beside The unencrypted data beside it, which nobody can change without the passphrase either.
 */
export async function lockKey(secret: Uint8Array, passphrase: string, beside: string): Promise<LockedKey> {
  const [salt, iv] = [randomBytes(SALT_BYTES), randomBytes(IV_BYTES)];
  const key = await derive(passphrase, salt, COST);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(beside));
  const text = Buffer.concat([cipher.update(secret), cipher.final()]);
  const tag = cipher.getAuthTag();
  return {
    kdf: { name: 'scrypt', ...COST, salt: salt.toString('base64url') },
    cipher: {
      name: 'aes-256-gcm',
      iv: iv.toString('base64url'),
      tag: tag.toString('base64url'),
      text: text.toString('base64url'),
    },
  };
}

/** Undefined for a wrong passphrase, and for a file that was changed. */
export async function unlockKey(
  { kdf, cipher }: LockedKey,
  passphrase: string,
  beside: string,
): Promise<Buffer | undefined> {
  try {
    const key = await derive(passphrase, bytes(kdf.salt), kdf);
    // A shorter tag would be easier to guess.
    const decipher = createDecipheriv('aes-256-gcm', key, bytes(cipher.iv), { authTagLength: 16 });
    decipher.setAAD(Buffer.from(beside)).setAuthTag(bytes(cipher.tag));
    return Buffer.concat([decipher.update(bytes(cipher.text)), decipher.final()]);
  } catch {
    return undefined;
  }
}

function derive(passphrase: string, salt: Buffer, { N, r, p }: typeof COST): Promise<Buffer> {
  const options: ScryptOptions = { N, r, p, maxmem: MOST_MEMORY };
  return new Promise((resolve, reject) => {
    // The same passphrase gives the same text on every system, however it was typed.
    scrypt(passphrase.normalize('NFKC'), salt, KEY_BYTES, options, (error, key) =>
      error ? reject(error) : resolve(key),
    );
  });
}

function bytes(text: string): Buffer {
  return Buffer.from(text, 'base64url');
}

/** The operator's settings for signing keys, and how their secrets are read. */
import { createSecretKey, type KeyObject } from 'node:crypto';

/** Secrets are held as `KeyObject`, which neither logs nor JSON show. */
export interface SigningKeySettings {
  /** 32 bytes that encrypt private parts. Null: the files contain them unencrypted. */
  keyEncryptionKey: KeyObject | null;
  /** The previous key, which can still open files while keys are re-encrypted. */
  previousKeyEncryptionKey: KeyObject | null;
  /** The active key is replaced when it is this many days old. 0: only by command. */
  rotationDays: number;
  /** The token in which new keys are made. Null: no token is used. */
  pkcs11: Pkcs11Settings | null;
}

export interface Pkcs11Settings {
  /** Path of the module, a shared library. */
  module: string;
  /** Null: the only token of the module. */
  tokenLabel: string | null;
  pin: KeyObject;
}

export const KEYS_IN_CLEAR_FILES: SigningKeySettings = {
  keyEncryptionKey: null,
  previousKeyEncryptionKey: null,
  rotationDays: 0,
  pkcs11: null,
};

const KEY_BYTES = 32;

/** A key-encryption key of 32 bytes, as base64, base64url or hexadecimal. Throws an `Error` that does not quote it. */
export function readKeyEncryptionKey(text: string): KeyObject {
  const bytes = /^[0-9a-f]{64}$/i.test(text)
    ? Buffer.from(text, 'hex')
    : /^[A-Za-z0-9+/_-]{43}=?$/.test(text)
      ? Buffer.from(text, 'base64')
      : Buffer.alloc(0);
  if (bytes.length !== KEY_BYTES) {
    throw new Error(
      'must be 32 random bytes in base64 or hexadecimal digits; create one with: openssl rand -base64 32',
    );
  }
  return createSecretKey(bytes);
}

export function readPin(text: string): KeyObject {
  return createSecretKey(Buffer.from(text));
}

export const KEY_ENCRYPTION_KEY_NEEDED =
  'a gate on PostgreSQL needs PERMITRY_KEY_ENCRYPTION_KEY or PERMITRY_KEY_ENCRYPTION_KEY_FILE: its signing keys are stored in the database, encrypted with it. Create one with: openssl rand -base64 32. Give the same key to every gate, and keep a copy apart from the backups of the database: without it the backups contain no usable keys';

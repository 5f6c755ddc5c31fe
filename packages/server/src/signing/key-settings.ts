/** What an operator decides about signing keys, and how the secrets among it are read. */
import { createSecretKey, type KeyObject } from 'node:crypto';
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs';

/** Secrets are held as `KeyObject`, which neither a log nor JSON shows. */
export interface SigningKeySettings {
  /** 32 bytes under which private parts are encrypted; null: they lie in clear in their files. */
  keyEncryptionKey: KeyObject | null;
  /** The one before, which may still open files while keys are re-encrypted. */
  previousKeyEncryptionKey: KeyObject | null;
  /** The active key is replaced once it is that old; 0: by command only. */
  rotationDays: number;
  /** Where new keys are made instead of in files. */
  pkcs11: Pkcs11Settings | null;
}

export interface Pkcs11Settings {
  /** Path of the module, a shared library. */
  module: string;
  /** Null: the only token there is. */
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
const MOST_BYTES = 4096;

/** A key-encryption key of 32 bytes, written as base64, base64url or hexadecimal digits. Throws an `Error` that does not quote it. */
export function readKeyEncryptionKey(text: string): KeyObject {
  const bytes = /^[0-9a-f]{64}$/i.test(text)
    ? Buffer.from(text, 'hex')
    : /^[A-Za-z0-9+/_-]{43}=?$/.test(text)
      ? Buffer.from(text, 'base64')
      : Buffer.alloc(0);
  if (bytes.length !== KEY_BYTES) {
    throw new Error(
      'must be 32 random bytes in base64 or hexadecimal digits; make one with: openssl rand -base64 32',
    );
  }
  return createSecretKey(bytes);
}

export function readPin(text: string): KeyObject {
  return createSecretKey(Buffer.from(text));
}

/** The text of a file that only its owner may read, without the white space around it. */
export function readSecretFile(path: string, mostBytes = MOST_BYTES): string {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    throw new Error(`names a file that cannot be opened (${(error as NodeJS.ErrnoException).code}): ${path}`);
  }
  try {
    const { mode, uid, size } = fstatSync(file);
    // Windows has no such modes: node reports the same bits for every file.
    if (process.platform !== 'win32' && othersMayRead({ mode, uid }, process.geteuid?.() ?? 0)) {
      throw new Error(`names a file that others may read; run: chmod 600 ${path}`);
    }
    if (size > mostBytes) throw new Error(`names a file that is too large to hold a secret: ${path}`);
    const text = readFileSync(file, 'utf8').trim();
    if (text === '') throw new Error(`names a file that is empty: ${path}`);
    return text;
  } finally {
    closeSync(file);
  }
}

/**
 * What root hands over (a credential of systemd, a secret of Kubernetes) lets the gate in by its group, or by an access
 * list that shows as one; of anything else, the group is others.
 */
export function othersMayRead({ mode, uid }: { mode: number; uid: number }, gate: number): boolean {
  return (mode & (uid === 0 && gate !== 0 ? 0o037 : 0o077)) !== 0;
}

export const KEY_ENCRYPTION_KEY_NEEDED =
  'a gate on PostgreSQL needs PERMITRY_KEY_ENCRYPTION_KEY or PERMITRY_KEY_ENCRYPTION_KEY_FILE: its signing keys lie in the database, encrypted under it. Make one with: openssl rand -base64 32. Give the same to every gate, and keep a copy apart from the backups of the database: without it they hold no keys';

import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fstatSync,
  fsyncSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Instant } from '../gate/instant.ts';
import type { SigningKeyChange, SigningKeyState } from '../gate/signing-keys/signing-key.ts';
import { thumbprint } from './thumbprint.ts';

export type KeyState = SigningKeyState;

/** Where a private part made in a PKCS#11 token is found again. */
export interface TokenObject {
  /** CKA_ID, hexadecimal digits. */
  id: string;
  label: string;
}

/** How the private part is kept: one of these; none once it was dropped for good. */
export interface PrivateForm {
  /** In clear, as in a JWK. */
  d?: string;
  /** JWE over the private JWK. */
  encrypted?: string;
  /** Not here at all: in a PKCS#11 token. */
  token?: TokenObject;
}

/** A key as it lies in its file: a JWK (RFC 7517) with the gate's own members beside. */
export interface StoredKey extends PrivateForm {
  kty: 'EC';
  crv: 'P-256';
  x: string;
  y: string;
  alg: 'ES256';
  use: 'sig';
  /** RFC 7638 thumbprint; also the name of the file. */
  kid: string;
  state: KeyState;
  /** Counts activations in this folder; 0: never active. Of two active keys, the greater one is meant. */
  activation: number;
  /** Published since. */
  created_at: Instant;
  changed_at: Instant;
  activated_at?: Instant;
  retired_at?: Instant;
  compromised_at?: Instant;
  /** A change that does not stand in the audit logs yet. */
  unrecorded?: Omit<SigningKeyChange, 'kid'>;
}

const STATES: ReadonlySet<unknown> = new Set<KeyState>(['next', 'active', 'retired', 'compromised']);
const COORDINATE = /^[A-Za-z0-9_-]{43}$/;
const EXTENSION = '.json';

/** A key folder that must not be used as it is; the message says what to do. */
export class KeyFileError extends Error {
  constructor(path: string, problem: string) {
    super(`${path}: ${problem}`);
    this.name = 'KeyFileError';
  }
}

/**
 * All keys of the folder, which is made with mode 0700 when absent, and beside them what is wrong with files that hold
 * none. Throws `KeyFileError` for a folder that must not be used.
 */
export function readKeyFiles(dir: string): { keys: StoredKey[]; failures: unknown[] } {
  // A folder that a power failure takes away again takes the keys with it, however well they were written.
  if (mkdirSync(dir, { recursive: true, mode: 0o700 }) !== undefined) syncFolder(dirname(dir));
  refuseSharedMode(dir, statSync(dir).mode, 0o022, 'others may write to this folder; run: chmod 700');
  const keys: StoredKey[] = [];
  const failures: unknown[] = [];
  for (const name of readdirSync(dir).filter((one) => one.endsWith(EXTENSION))) {
    try {
      keys.push(readKeyFile(dir, name));
    } catch (error) {
      failures.push(error);
    }
  }
  return { keys, failures };
}

/** Writes the file whole or not at all, and durably: temporary file, fsync, rename, fsync of the folder. */
export function writeKeyFile(dir: string, key: StoredKey): void {
  const temporary = join(dir, `.${key.kid}.${randomBytes(6).toString('hex')}.tmp`);
  const file = openSync(temporary, 'wx', 0o600);
  try {
    writeFileSync(file, `${JSON.stringify(key, null, 2)}\n`);
    fsyncSync(file);
    renameSync(temporary, join(dir, key.kid + EXTENSION));
  } catch (cause) {
    rmSync(temporary, { force: true });
    throw cause;
  } finally {
    closeSync(file);
  }
  syncFolder(dir);
}

function readKeyFile(dir: string, name: string): StoredKey {
  const path = join(dir, name);
  const file = openSync(path, 'r');
  try {
    refuseSharedMode(
      path,
      fstatSync(file).mode,
      0o077,
      'others may read this private key; run: chmod 600, and rotate',
    );
    return parseKey(path, name, readFileSync(file, 'utf8'));
  } finally {
    closeSync(file);
  }
}

function parseKey(path: string, name: string, text: string): StoredKey {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own message quotes the text, which is a secret.
    throw new KeyFileError(path, 'is not JSON');
  }
  if (!isStoredKey(value)) throw new KeyFileError(path, 'is not an ES256 key of this gate');
  if (thumbprint(value) !== value.kid || name !== value.kid + EXTENSION) {
    throw new KeyFileError(path, 'its name, its kid and its public key do not belong together');
  }
  return value;
}

function isStoredKey(value: unknown): value is StoredKey {
  if (typeof value !== 'object' || value === null) return false;
  const key = value as Partial<Record<keyof StoredKey, unknown>>;
  const forms = [key.d, key.encrypted, key.token].filter((form) => form !== undefined);
  return (
    key.kty === 'EC' &&
    key.crv === 'P-256' &&
    key.alg === 'ES256' &&
    key.use === 'sig' &&
    isCoordinate(key.x) &&
    isCoordinate(key.y) &&
    typeof key.kid === 'string' &&
    STATES.has(key.state) &&
    Number.isSafeInteger(key.activation) &&
    typeof key.created_at === 'string' &&
    typeof key.changed_at === 'string' &&
    (key.d === undefined || isCoordinate(key.d)) &&
    (key.encrypted === undefined || typeof key.encrypted === 'string') &&
    (key.token === undefined || isTokenObject(key.token)) &&
    // A key that still is to sign must bring its private part, and nobody is to wonder which of two counts.
    (forms.length === 1 || (forms.length === 0 && key.state !== 'next' && key.state !== 'active'))
  );
}

function isTokenObject(value: unknown): value is TokenObject {
  if (typeof value !== 'object' || value === null) return false;
  const { id, label } = value as Partial<Record<keyof TokenObject, unknown>>;
  return typeof id === 'string' && /^([0-9a-f]{2})+$/.test(id) && typeof label === 'string';
}

function isCoordinate(value: unknown): value is string {
  return typeof value === 'string' && COORDINATE.test(value);
}

export function refuseSharedMode(path: string, mode: number, forbidden: number, advice: string): void {
  // Windows has no such modes: node reports the same bits for every file.
  if (process.platform === 'win32' || (mode & forbidden) === 0) return;
  throw new KeyFileError(path, `${advice} ${path}`);
}

export function syncFolder(dir: string): void {
  // A folder cannot be opened on Windows, where the rename itself is journalled.
  if (process.platform === 'win32') return;
  const folder = openSync(dir, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

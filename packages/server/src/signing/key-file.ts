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
import { join } from 'node:path';
import type { Instant } from '../gate/instant.ts';
import { thumbprint } from './thumbprint.ts';

/**
 * `next`: published before it signs, so that a verifier who keeps a copy of the JWKS for a while never meets a
 * stranger. `retired`: signs no more, still verifies. `compromised`: neither published nor believed.
 */
export type KeyState = 'next' | 'active' | 'retired' | 'compromised';

/** A key as it lies in its file: a JWK (RFC 7517) with the gate's own members beside. */
export interface StoredKey {
  kty: 'EC';
  crv: 'P-256';
  x: string;
  y: string;
  /** The private part; dropped for good when the key is retired or compromised. */
  d?: string;
  alg: 'ES256';
  use: 'sig';
  /** RFC 7638 thumbprint; also the name of the file. */
  kid: string;
  state: KeyState;
  /** Counts activations in this folder; 0: never active. Of two active keys, the greater one is meant. */
  activation: number;
  created_at: Instant;
  changed_at: Instant;
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

/** All keys of the folder, which is made with mode 0700 when absent. Throws `KeyFileError` for the first bad file. */
export function readKeyFiles(dir: string): StoredKey[] {
  mkdirSync(dir, { recursive: true, mode: 0o700 });
  refuseSharedMode(dir, statSync(dir).mode, 0o022, 'others may write to this folder; run: chmod 700');
  return readdirSync(dir)
    .filter((name) => name.endsWith(EXTENSION))
    .map((name) => readKeyFile(dir, name));
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
  const isPrivate = isCoordinate(key.d);
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
    // A key that still is to sign must bring its private part.
    (isPrivate || (key.d === undefined && key.state !== 'next' && key.state !== 'active'))
  );
}

function isCoordinate(value: unknown): value is string {
  return typeof value === 'string' && COORDINATE.test(value);
}

function refuseSharedMode(path: string, mode: number, forbidden: number, advice: string): void {
  // Windows has no such modes: node reports the same bits for every file.
  if (process.platform === 'win32' || (mode & forbidden) === 0) return;
  throw new KeyFileError(path, `${advice} ${path}`);
}

function syncFolder(dir: string): void {
  // A folder cannot be opened on Windows, where the rename itself is journalled.
  if (process.platform === 'win32') return;
  const folder = openSync(dir, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}

/** A signing key as stored, in a file or a row: a JWK (RFC 7517) with extra members of the gate. */
import type { Instant } from '../gate/kernel/instant.ts';
import type { SigningKeyChange, SigningKeyState } from '../gate/kernel/signing-key.ts';
import { thumbprint } from './thumbprint.ts';

export type KeyState = SigningKeyState;

/** How to find a private part that was made in a PKCS#11 token. */
export interface TokenObject {
  /** CKA_ID in hexadecimal. */
  id: string;
  label: string;
}

/** How the private part is stored: in one of these members, or in none after it was dropped for good. */
export interface PrivateForm {
  /** Unencrypted, as in a JWK. */
  d?: string;
  /** JWE over the private JWK. */
  encrypted?: string;
  /** Not stored here, but in a PKCS#11 token. */
  token?: TokenObject;
}

export interface StoredKey extends PrivateForm {
  kty: 'EC';
  crv: 'P-256';
  x: string;
  y: string;
  alg: 'ES256';
  use: 'sig';
  /** RFC 7638 thumbprint. The key is also stored under this name. */
  kid: string;
  state: KeyState;
  /** Counts activations in this store. 0: never active. Of two active keys, the one with the higher number counts. */
  activation: number;
  /** Also the time when the key was first published. */
  created_at: Instant;
  changed_at: Instant;
  activated_at?: Instant;
  retired_at?: Instant;
  compromised_at?: Instant;
  /** Changes that the audit logs do not contain yet, oldest first. */
  unrecorded?: readonly Omit<SigningKeyChange, 'kid'>[];
  /** Until this time, one process records these changes and no other process does. */
  taken_until?: Instant;
}

const STATES: ReadonlySet<unknown> = new Set<KeyState>(['next', 'active', 'retired', 'compromised']);
const COORDINATE = /^[A-Za-z0-9_-]{43}$/;

/** The key, or its file or folder, must not be used in its present state. The message says what to do. */
export class StoredKeyError extends Error {
  /** @param location The path of a file or folder, or the name of a row. */
  constructor(location: string, problem: string) {
    super(`${location}: ${problem}`);
    this.name = 'StoredKeyError';
  }
}

/** Throws `StoredKeyError` for a text that is not the key of this name. */
export function parseStoredKey(location: string, name: string, text: string): StoredKey {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own message quotes the text, which is a secret.
    throw new StoredKeyError(location, 'is not JSON');
  }
  if (!isStoredKey(value)) throw new StoredKeyError(location, 'is not an ES256 key of this gate');
  if (thumbprint(value) !== value.kid || name !== value.kid) {
    throw new StoredKeyError(location, 'its name, its kid and its public key do not belong together');
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
    // A private part has at most one form, so that it is clear which one counts. A key that signs, or will sign, must
    // have a private part.
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

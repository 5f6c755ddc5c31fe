/** The form of keys. Secret scanners recognise it, and a mistyped key is refused without a look-up. */
import type { ProjectMode } from './vocabulary.ts';

/** `agent`, `secret` and `verify` belong to a project; `user` to a person. */
export type ApiKeyKind = 'agent' | 'secret' | 'verify' | 'user';

/** What the text of a key reveals. Only the gate knows whether the key exists. */
export interface ApiKeyForm {
  kind: ApiKeyKind;
  /** Null for a user token, which follows its person into every project. */
  mode: ProjectMode | null;
}

const DIGITS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const BASE = BigInt(DIGITS.length);
const RANDOM_BYTES = 32;
/** 62^43 is just above 2^256, so 32 bytes fit as one number, and every digit is as random as the bytes. */
const RANDOM_DIGITS = 43;
/** 62^6 is above 2^32. */
const CHECKSUM_DIGITS = 6;

const API_KEY = /^prm_(?:(agent|secret|verify)_(test|live)|user)_[0-9A-Za-z]{49}$/;

/**
 * A key: `prm_<kind>_<mode>_` (a user token has no mode), 43 base62 characters of the random bytes, and 6 of the CRC-32
 * of everything before them.
 *
 * @param randomBytes exactly 32 bytes of a cryptographic source.
 * @throws RangeError for another number of bytes, for a user token with a mode, and for any other key without one.
 * @example formatApiKey('secret', 'live', crypto.getRandomValues(new Uint8Array(32))) // 'prm_secret_live_…'
 */
export function formatApiKey(kind: ApiKeyKind, mode: ProjectMode | null, randomBytes: Uint8Array): string {
  if (randomBytes.length !== RANDOM_BYTES) throw new RangeError(`A key takes ${RANDOM_BYTES} random bytes`);
  if ((kind === 'user') !== (mode === null))
    throw new RangeError('User tokens have no mode; all other keys have one');
  const body = `prm_${mode === null ? kind : `${kind}_${mode}`}_${toBase62(toNumber(randomBytes), RANDOM_DIGITS)}`;
  return body + checksum(body);
}

/**
 * The kind of key that a text claims to be. Undefined when the text has another form or its checksum does not match. A
 * checksum is not secret, so the comparison need not take constant time.
 */
export function parseApiKey(text: string): ApiKeyForm | undefined {
  const match = API_KEY.exec(text);
  if (match === null) return undefined;
  if (checksum(text.slice(0, -CHECKSUM_DIGITS)) !== text.slice(-CHECKSUM_DIGITS)) return undefined;
  const [, kind = 'user', mode = null] = match;
  return { kind, mode } as ApiKeyForm;
}

/**
 * Uses plain numbers instead of the bigints of the random digits, because the gate computes this for every request with
 * a key.
 */
function checksum(body: string): string {
  let text = '';
  for (let rest = crc32(body); text.length < CHECKSUM_DIGITS; rest = Math.floor(rest / DIGITS.length))
    text = DIGITS.charAt(rest % DIGITS.length) + text;
  return text;
}

function toNumber(bytes: Uint8Array): bigint {
  return bytes.reduce((number, byte) => (number << 8n) | BigInt(byte), 0n);
}

function toBase62(number: bigint, length: number): string {
  let text = '';
  for (let rest = number; text.length < length; rest /= BASE)
    text = DIGITS.charAt(Number(rest % BASE)) + text;
  return text;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let remainder = byte;
  for (let bit = 0; bit < 8; bit++)
    remainder = (remainder & 1) === 1 ? (remainder >>> 1) ^ 0xedb88320 : remainder >>> 1;
  return remainder;
});

/** CRC-32 of ASCII text, as in ISO 3309 and zlib. */
function crc32(text: string): number {
  let crc = 0xffffffff;
  for (let index = 0; index < text.length; index++) {
    crc = (crc >>> 8) ^ (CRC_TABLE[(crc ^ text.charCodeAt(index)) & 0xff] ?? 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

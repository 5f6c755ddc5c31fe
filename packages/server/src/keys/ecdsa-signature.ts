/**
 * Converts P-256 signatures between DER, which OpenSSL uses, and r‖s, which JOSE uses (RFC 7518 §3.4). Written by hand
 * because the conversion of node:crypto (`ieee-p1363`) takes about as long as the signature itself.
 */
import { type KeyObject, verify } from 'node:crypto';

const HALF = 32;
const SEQUENCE = 0x30;
const INTEGER = 0x02;
/** 64 bytes in base64url. */
const CHARACTERS = 86;

/** Converts a DER signature that OpenSSL made to 64 bytes r‖s. */
export function derToRaw(der: Uint8Array): Buffer {
  const raw = Buffer.alloc(2 * HALF);
  const rLength = der[3] ?? 0;
  const sLength = der[5 + rLength] ?? 0;
  alignRight(raw, HALF, der.subarray(4, 4 + rLength));
  alignRight(raw, 2 * HALF, der.subarray(6 + rLength, 6 + rLength + sLength));
  return raw;
}

/**
 * Whether this is a valid signature over the SHA-256 of the text, in its one canonical spelling: 64 bytes r‖s in
 * base64url.
 */
export function isSignature(signature: string, signingInput: string, publicKey: KeyObject): boolean {
  const raw = decode(signature);
  return raw !== undefined && verify('sha256', Buffer.from(signingInput), publicKey, rawToDer(raw));
}

/** Converts 64 bytes r‖s to DER. It does not check their range: OpenSSL refuses r or s outside 1 … n−1. */
function rawToDer(raw: Uint8Array): Buffer {
  const r = derInteger(raw.subarray(0, HALF));
  const s = derInteger(raw.subarray(HALF, 2 * HALF));
  return Buffer.concat([Uint8Array.of(SEQUENCE, r.length + s.length), r, s]);
}

function decode(signature: string): Buffer | undefined {
  if (signature.length !== CHARACTERS) return undefined;
  const raw = Buffer.from(signature, 'base64url');
  return raw.length === 2 * HALF && raw.toString('base64url') === signature ? raw : undefined;
}

/** Right-aligns before `end`. Drops the leading zero byte that DER adds to keep a number positive. */
function alignRight(target: Buffer, end: number, digits: Uint8Array): void {
  const significant = digits.length > HALF ? digits.subarray(digits.length - HALF) : digits;
  target.set(significant, end - significant.length);
}

function derInteger(digits: Uint8Array): Uint8Array {
  let start = 0;
  while (start < digits.length - 1 && digits[start] === 0) start += 1;
  const pad = (digits[start] ?? 0) >= 0x80 ? 1 : 0;
  const length = digits.length - start + pad;
  const out = new Uint8Array(2 + length);
  out[0] = INTEGER;
  out[1] = length;
  out.set(digits.subarray(start), 2 + pad);
  return out;
}

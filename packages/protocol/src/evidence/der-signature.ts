/** Bytes of r and of s on P-256. */
const WIDTH = 32;
const SEQUENCE = 0x30;
const INTEGER = 0x02;

/**
 * Converts an ECDSA signature on P-256 from DER (RFC 3279 §2.2.3) to r‖s, the 64 bytes that Web Crypto takes. Undefined
 * unless it is the one DER encoding of two positive numbers below 2^256. A second spelling would be a second text for
 * the same signature.
 */
export function derToConcat(der: Uint8Array): Uint8Array<ArrayBuffer> | undefined {
  const [tag, length] = der;
  // Two numbers of at most 33 bytes, so every length takes one byte.
  if (tag !== SEQUENCE || length !== der.length - 2 || length > 0x7f) return undefined;
  const r = readInteger(der, 2);
  if (r === undefined) return undefined;
  const s = readInteger(der, r.end);
  if (s === undefined || s.end !== der.length) return undefined;
  const concat = new Uint8Array(2 * WIDTH);
  concat.set(r.digits, WIDTH - r.digits.length);
  concat.set(s.digits, 2 * WIDTH - s.digits.length);
  return concat;
}

function readInteger(der: Uint8Array, at: number): { digits: Uint8Array; end: number } | undefined {
  const length = der[at + 1] ?? 0;
  const end = at + 2 + length;
  if (der[at] !== INTEGER || length === 0 || end > der.length) return undefined;
  const [first = 0, second = 0] = der.subarray(at + 2, end);
  // The number is negative, or has a leading zero that no sign bit requires.
  if (first >= 0x80 || (first === 0 && (length === 1 || second < 0x80))) return undefined;
  const digits = der.subarray(at + 2 + (first === 0 ? 1 : 0), end);
  return digits.length > WIDTH ? undefined : { digits, end };
}

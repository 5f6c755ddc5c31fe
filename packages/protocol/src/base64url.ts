// Own code because the platforms' decoders, and jose's, take non-canonical input: two texts, one meaning.
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

const CODES = Uint8Array.from(ALPHABET, (character) => character.charCodeAt(0));

const FOREIGN = 0xff;
/** Value of each ASCII character in the alphabet. */
const VALUES = new Uint8Array(128).fill(FOREIGN);
for (const [value, code] of CODES.entries()) VALUES[code] = value;

const ascii = new TextDecoder();

/** Base64url without padding (RFC 4648 §5, RFC 7515 §2). */
export function encodeBase64url(bytes: Uint8Array): string {
  const codes = new Uint8Array(Math.ceil((bytes.length * 4) / 3));
  let written = 0;
  let bits = 0;
  let pending = 0;
  for (const byte of bytes) {
    pending = ((pending << 8) | byte) & 0xfff;
    bits += 8;
    while (bits >= 6) {
      bits -= 6;
      codes[written++] = CODES[(pending >> bits) & 0x3f] as number;
    }
  }
  if (bits > 0) codes[written] = CODES[(pending << (6 - bits)) & 0x3f] as number;
  return ascii.decode(codes);
}

/**
 * Undefined for every text but the one that `encodeBase64url` would write: no padding, no foreign character, no
 * length that base64 cannot have, no bits set behind the last byte.
 */
export function decodeBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  if (text.length % 4 === 1) return undefined;
  const bytes = new Uint8Array((text.length * 3) >> 2);
  let written = 0;
  let bits = 0;
  let pending = 0;
  for (let index = 0; index < text.length; index++) {
    const value = VALUES[text.charCodeAt(index)] ?? FOREIGN;
    if (value === FOREIGN) return undefined;
    pending = ((pending << 6) | value) & 0xfff;
    bits += 6;
    if (bits >= 8) {
      bits -= 8;
      bytes[written++] = pending >> bits;
    }
  }
  return (pending & ((1 << bits) - 1)) === 0 ? bytes : undefined;
}

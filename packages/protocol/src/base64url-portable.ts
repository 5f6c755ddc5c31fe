// Own code, because the decoders of the platforms and of jose accept non-canonical input: two texts for the same bytes.
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

const CODES = Uint8Array.from(ALPHABET, (character) => character.charCodeAt(0));

const FOREIGN = 0xff;
/** Value of each ASCII character in the alphabet. */
const VALUES = new Uint8Array(128).fill(FOREIGN);
for (const [value, code] of CODES.entries()) VALUES[code] = value;

const ascii = new TextDecoder();
const encoder = new TextEncoder();

export function encodeBase64url(input: string | Uint8Array): string {
  const bytes = typeof input === 'string' ? encoder.encode(input) : input;
  const { length } = bytes;
  const codes = new Uint8Array(Math.ceil((length * 4) / 3));
  let written = 0;
  // Three bytes are four characters. Bytes beyond the end count as zero, and the array's length cuts them off.
  for (let read = 0; read < length; read += 3) {
    const triple = ((bytes[read] ?? 0) << 16) | ((bytes[read + 1] ?? 0) << 8) | (bytes[read + 2] ?? 0);
    codes[written++] = CODES[triple >> 18] ?? 0;
    codes[written++] = CODES[(triple >> 12) & 0x3f] ?? 0;
    codes[written++] = CODES[(triple >> 6) & 0x3f] ?? 0;
    codes[written++] = CODES[triple & 0x3f] ?? 0;
  }
  return ascii.decode(codes);
}

export function decodeBase64url(text: string): Uint8Array<ArrayBuffer> | undefined {
  const { length } = text;
  if (length % 4 === 1) return undefined;
  const bytes = new Uint8Array((length * 3) >> 2);
  let written = 0;
  for (let read = 0; read < length; read += 4) {
    const first = valueAt(text, read);
    const second = valueAt(text, read + 1);
    const third = read + 2 < length ? valueAt(text, read + 2) : 0;
    const fourth = read + 3 < length ? valueAt(text, read + 3) : 0;
    // Only FOREIGN has its highest bit set.
    if (((first | second | third | fourth) & 0x80) !== 0) return undefined;
    bytes[written++] = (first << 2) | (second >> 4);
    bytes[written++] = (second << 4) | (third >> 2);
    bytes[written++] = (third << 6) | fourth;
  }
  if (length % 4 === 2 && (valueAt(text, length - 1) & 0x0f) !== 0) return undefined;
  if (length % 4 === 3 && (valueAt(text, length - 1) & 0x03) !== 0) return undefined;
  return bytes;
}

function valueAt(text: string, index: number): number {
  return VALUES[text.charCodeAt(index)] ?? FOREIGN;
}

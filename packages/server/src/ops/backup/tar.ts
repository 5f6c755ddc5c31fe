/**
 * The part of tar (POSIX ustar) that archives use: plain files one after another, mode 0600. Any tar program unpacks
 * them. The reader here accepts nothing else, so no name or link can lead out of the target folder.
 */
import type { ByteReader } from './byte-reader.ts';

export interface TarEntry {
  name: string;
  bytes: number;
}

const BLOCK = 512;
const NAME_END = 100;
const SIZE_AT = 124;
const SIZE_END = 136;
const TIME_AT = 136;
const CHECKSUM_AT = 148;
const CHECKSUM_END = 156;
/** The largest size that fits in octal digits. Larger ones are written in binary, as GNU tar does. */
const MOST_OCTAL = 0o77777777777;

/** @param modifiedAt Seconds since the epoch. */
export function tarHeader({ name, bytes }: TarEntry, modifiedAt: number): Buffer {
  const header = Buffer.alloc(BLOCK);
  if (Buffer.byteLength(name) >= NAME_END) throw new RangeError(`${name} is too long a name`);
  header.write(name);
  header.write('0000600\0', 100);
  header.write('0000000\0', 108);
  header.write('0000000\0', 116);
  writeSize(header, bytes);
  header.write(`${octal(modifiedAt, 11)}\0`, TIME_AT);
  header.write('0', CHECKSUM_END);
  header.write('ustar\x0000', 257);
  header.write(`${octal(checksumOf(header), 6)}\0 `, CHECKSUM_AT);
  return header;
}

/** The padding after a file of this size, up to the next block. */
export function tarPadding(bytes: number): Buffer {
  return Buffer.alloc((BLOCK - (bytes % BLOCK)) % BLOCK);
}

export function tarEnd(): Buffer {
  return Buffer.alloc(2 * BLOCK);
}

/** The next entry, undefined at the end. Throws for any header that `tarHeader` does not write. */
export async function readTarHeader(input: ByteReader): Promise<TarEntry | undefined> {
  const header = await input.read(BLOCK);
  if (isBlank(header)) {
    if (isBlank(await input.read(BLOCK)) && (await input.isAtEnd())) return undefined;
    throw new Error('there is something after the end of the archive');
  }
  const name = header.toString('latin1', 0, header.subarray(0, NAME_END).indexOf(0));
  const entry = { name, bytes: readSize(header) };
  const modifiedAt = Number.parseInt(header.toString('latin1', TIME_AT, TIME_AT + 11), 8);
  const isOurs = Number.isSafeInteger(entry.bytes) && Number.isSafeInteger(modifiedAt);
  // Writes the header again and compares. Links, folders, long names and wrong checksums all differ.
  if (!isOurs || !tarHeader(entry, modifiedAt).equals(header))
    throw new Error('a file header of the archive is damaged');
  return entry;
}

export async function readTarPadding(input: ByteReader, bytes: number): Promise<void> {
  if (!isBlank(await input.read(tarPadding(bytes).length)))
    throw new Error('there is something between two files of the archive');
}

function isBlank(bytes: Buffer): boolean {
  return bytes.every((byte) => byte === 0);
}

function checksumOf(header: Buffer): number {
  let sum = 0;
  for (const [index, byte] of header.entries()) {
    sum += index >= CHECKSUM_AT && index < CHECKSUM_END ? 0x20 : byte;
  }
  return sum;
}

function writeSize(header: Buffer, bytes: number): void {
  if (bytes <= MOST_OCTAL) {
    header.write(`${octal(bytes, 11)}\0`, SIZE_AT);
    return;
  }
  header.writeBigUInt64BE(BigInt(bytes), SIZE_END - 8);
  header[SIZE_AT] = 0x80;
}

function readSize(header: Buffer): number {
  if (header[SIZE_AT] === 0x80) return Number(header.readBigUInt64BE(SIZE_END - 8));
  return Number.parseInt(header.toString('latin1', SIZE_AT, SIZE_END - 1), 8);
}

function octal(value: number, digits: number): string {
  return Math.floor(value).toString(8).padStart(digits, '0');
}

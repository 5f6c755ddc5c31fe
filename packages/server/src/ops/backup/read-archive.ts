import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip } from 'node:zlib';
import { BackupError } from './backup-error.ts';
import { AGE_MAGIC, type BackupKey, decryptWith } from './backup-key.ts';
import { ByteReader } from './byte-reader.ts';
import { assertRoom } from './disk.ts';
import { type ArchiveMember, MANIFEST_NAME, type Manifest, parseManifest } from './manifest.ts';
import { countBytes, type OnProgress, passing } from './progress.ts';
import { readTarHeader, readTarPadding } from './tar.ts';

export interface UnpackOptions {
  /** If the archive is not encrypted, a given key is an error: somebody may have replaced the archive. */
  key?: BackupKey | undefined;
  /** The expected SHA-256 of the file, hexadecimal. */
  sha256?: string | undefined;
  /** An empty folder for the contents. Trust nothing in it unless `unpackArchive` resolves. */
  into: string;
  onProgress: OnProgress;
}

export interface UnpackedArchive {
  manifest: Manifest;
  isEncrypted: boolean;
  bytes: number;
  sha256: string;
}

const GZIP_MAGIC = Buffer.from([0x1f, 0x8b]);
const LARGEST_MANIFEST = 16 * 1024 * 1024;

/**
 * Unpacks an archive and checks every byte against its manifest. If a key is given, the archive must be encrypted.
 * @throws BackupError `key_missing`, `key_wrong`, `damaged`, `newer`, `unexpected`, `no_space`
 */
export async function unpackArchive(file: string, options: UnpackOptions): Promise<UnpackedArchive> {
  const handle = await open(file, 'r');
  try {
    const isEncrypted = await looksEncrypted(handle, file);
    if (!isEncrypted && options.key !== undefined) {
      throw new BackupError(
        'unexpected',
        `${file} is not encrypted although you gave a key, so it may not be the file you mean. To read it as it is, leave out the key.`,
      );
    }
    return { isEncrypted, ...(await unpack(handle, isEncrypted, options)) };
  } catch (error) {
    if (error instanceof BackupError || (error instanceof Error && 'syscall' in error)) throw error;
    throw new BackupError('damaged', `${file} is damaged or incomplete; nothing was written from it.`, {
      cause: error,
    });
  } finally {
    await handle.close();
  }
}

async function looksEncrypted(handle: FileHandle, file: string): Promise<boolean> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(AGE_MAGIC.length), 0, AGE_MAGIC.length, 0);
  const begin = buffer.subarray(0, bytesRead);
  if (begin.equals(AGE_MAGIC)) return true;
  if (begin.subarray(0, GZIP_MAGIC.length).equals(GZIP_MAGIC)) return false;
  throw new BackupError('damaged', `${file} is not a Permitry backup.`);
}

async function unpack(
  handle: FileHandle,
  isEncrypted: boolean,
  { key, sha256: expected, into, onProgress }: UnpackOptions,
): Promise<Omit<UnpackedArchive, 'isEncrypted'>> {
  const { size } = await handle.stat();
  const hash = createHash('sha256');
  const file = handle.createReadStream({ start: 0, autoClose: false });
  const stored = passing<Uint8Array>(file, (chunk) => hash.update(chunk));
  const counted = countBytes(stored, (done) => onProgress({ what: 'unpacking', done, total: size }));
  const gunzip = createGunzip();
  const piping = pipeline(isEncrypted ? decryptWith(key, counted) : counted, gunzip);
  // The reader at the end of the pipeline gets the error.
  piping.catch(() => undefined);
  const input = new ByteReader(gunzip);
  const manifest = await readManifest(input);
  assertRoom(
    into,
    manifest.members.reduce((sum, { bytes }) => sum + bytes, 0),
  );
  for (const member of manifest.members) await unpackMember(input, member, into);
  if (await readTarHeader(input)) throw new Error('there are more files than the manifest lists');
  await piping;
  const sha256 = hash.digest('hex');
  if (expected !== undefined && expected.toLowerCase() !== sha256) {
    throw new BackupError(
      'unexpected',
      `The file has the SHA-256 ${sha256}, not the given one: it is another file.`,
    );
  }
  return { manifest, bytes: size, sha256 };
}

async function readManifest(input: ByteReader): Promise<Manifest> {
  const entry = await readTarHeader(input);
  if (entry?.name !== MANIFEST_NAME || entry.bytes > LARGEST_MANIFEST)
    throw new Error('it does not begin with a manifest');
  const manifest = parseManifest(await input.read(entry.bytes));
  await readTarPadding(input, entry.bytes);
  return manifest;
}

async function unpackMember(input: ByteReader, member: ArchiveMember, into: string): Promise<void> {
  const entry = await readTarHeader(input);
  if (entry?.name !== member.name || entry.bytes !== member.bytes)
    throw new Error(`${member.name} is missing`);
  const path = join(into, member.name);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const hash = createHash('sha256');
  const target = await open(path, 'wx', 0o600);
  try {
    for await (const piece of input.take(member.bytes)) {
      hash.update(piece);
      await target.appendFile(piece);
    }
  } finally {
    await target.close();
  }
  await readTarPadding(input, member.bytes);
  if (hash.digest('hex') !== member.sha256)
    throw new Error(`${member.name} does not have the hash of the manifest`);
}

/** Writes an archive: tar, compressed by gzip, and encrypted in the age format when there is a key. */
import { createHash, randomBytes } from 'node:crypto';
import { existsSync, linkSync, renameSync, rmSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { syncFolder } from '../../files/sync-folder.ts';
import { BackupError } from './backup-error.ts';
import { type BackupKey, encryptTo } from './backup-key.ts';
import {
  type ArchiveMember,
  MANIFEST_NAME,
  type Manifest,
  parseManifest,
  writeManifest,
} from './manifest.ts';
import { countBytes, type OnProgress } from './progress.ts';
import { tarEnd, tarHeader, tarPadding } from './tar.ts';

/** A member and the source of its bytes. */
export interface MemberSource extends ArchiveMember {
  open(): AsyncIterable<Uint8Array>;
}

export interface WrittenArchive {
  manifest: Manifest;
  bytes: number;
  /** SHA-256 of the file, hexadecimal. */
  sha256: string;
}

export interface ArchiveContents {
  contents: Omit<Manifest, 'format' | 'members'>;
  members: readonly MemberSource[];
  key: BackupKey | undefined;
  onProgress: OnProgress;
}

/** @throws BackupError `occupied` */
export function assertFree(file: string): void {
  if (existsSync(file)) throw occupied(file);
}

/**
 * Writes under a temporary name with mode 0600. The archive gets its own name when it is complete and durable.
 * @throws BackupError `occupied`
 */
export async function writeArchive(file: string, archive: ArchiveContents): Promise<WrittenArchive> {
  const partial = `${file}.${randomBytes(4).toString('hex')}.partial`;
  const clear = () => rmSync(partial, { force: true });
  process.once('exit', clear);
  try {
    const handle = await open(partial, 'wx', 0o600);
    let written: WrittenArchive;
    try {
      written = await pack(handle, archive);
      await handle.sync();
    } finally {
      await handle.close();
    }
    publish(partial, file);
    return written;
  } finally {
    process.off('exit', clear);
    clear();
  }
}

async function pack(
  handle: FileHandle,
  { contents, members, key, onProgress }: ArchiveContents,
): Promise<WrittenArchive> {
  const listed = members.map(({ name, bytes, sha256 }) => ({ name, bytes, sha256 }));
  const manifest = writeManifest({ ...contents, members: listed });
  const total = members.reduce((sum, { bytes }) => sum + bytes, manifest.length);
  const plain = countBytes(toTar(manifest, members, Date.parse(contents.created_at) / 1000), (done) =>
    onProgress({ what: 'packing', done: Math.min(done, total), total }),
  );
  const encrypt = key === undefined ? keepPlain : await encryptTo(key);
  const hash = createHash('sha256');
  let bytes = 0;
  await pipeline(plain, createGzip(), encrypt, async (chunks: AsyncIterable<Uint8Array>) => {
    for await (const chunk of chunks) {
      hash.update(chunk);
      bytes += chunk.length;
      await handle.appendFile(chunk);
    }
  });
  return { manifest: parseManifest(manifest), bytes, sha256: hash.digest('hex') };
}

async function* keepPlain(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  yield* chunks;
}

async function* toTar(
  manifest: Buffer,
  members: readonly MemberSource[],
  modifiedAt: number,
): AsyncGenerator<Uint8Array, void, void> {
  yield tarHeader({ name: MANIFEST_NAME, bytes: manifest.length }, modifiedAt);
  yield manifest;
  yield tarPadding(manifest.length);
  for (const member of members) {
    yield tarHeader(member, modifiedAt);
    yield* member.open();
    yield tarPadding(member.bytes);
  }
  yield tarEnd();
}

/** A link, unlike a rename, never replaces an existing file. */
function publish(partial: string, file: string): void {
  try {
    linkSync(partial, file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw occupied(file);
    // Not every file system supports hard links.
    if (code !== 'EPERM' && code !== 'ENOTSUP' && code !== 'ENOSYS') throw error;
    assertFree(file);
    renameSync(partial, file);
  }
  syncFolder(dirname(file));
}

function occupied(file: string): BackupError {
  return new BackupError('occupied', `${file} already exists; a backup never replaces another file.`);
}

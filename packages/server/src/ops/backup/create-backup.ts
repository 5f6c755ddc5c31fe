/**
 * A backup is one file with the database and the signing keys of a gate, made while the gate serves. A gate can be
 * restored from it. This code reads the data directory and does not ask the running server.
 */
import { createHash } from 'node:crypto';
import { createReadStream, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Clock } from '../../gate/kernel/clock.ts';
import { copyDatabase } from '../../storage/sqlite/copy-database.ts';
import { databaseFile } from '../../storage/sqlite/open-database.ts';
import { openReadOnly } from '../../storage/sqlite/open-read-only.ts';
import { BackupError } from './backup-error.ts';
import type { BackupKey } from './backup-key.ts';
import { assertRoom } from './disk.ts';
import { type BackedUpProject, DATABASE_NAME, type Manifest, type PrivateKeys } from './manifest.ts';
import type { OnProgress } from './progress.ts';
import { type KeyFile, liesInClear, readKeyFiles, withoutPrivatePart } from './signing-key-files.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';
import { assertFree, type MemberSource, type WrittenArchive, writeArchive } from './write-archive.ts';

export interface BackupOptions {
  dataDir: string;
  /** Must not exist. */
  file: string;
  /** The gate's base URL, for the gate restored from the backup. */
  baseUrl: string;
  /** Without a key the archive is not encrypted. */
  key?: BackupKey | undefined;
  /**
   * What to do with unencrypted private signing keys if the archive is not encrypted. Undefined: the backup is refused
   * if there are any. Keys that are already encrypted are included as they are.
   */
  keysInClear?: 'included' | 'left_out' | undefined;
  clock: Clock;
  onProgress?: OnProgress | undefined;
}

export interface Backup extends WrittenArchive {
  manifest: Manifest;
  encryptedTo: 'recipients' | 'passphrase' | null;
}

/**
 * Backs up a gate, whether or not a server is running on it. Everything acknowledged before the call is in the file.
 * When this resolves, the file is complete and durable. When it rejects, the file does not exist.
 * @throws BackupError `no_gate`, `occupied`, `keys_in_clear`, `no_space`, `damaged` for a gate that is itself damaged
 */
export async function createBackup(options: BackupOptions): Promise<Backup> {
  const { dataDir, file, key, clock, onProgress = () => {} } = options;
  const source = databaseFile(dataDir);
  if (!existsSync(source)) throw new BackupError('no_gate', `There is no gate in ${dataDir}.`);
  assertFree(file);
  const includes = privateKeysToInclude(readKeyFiles(dataDir), options);
  // The temporary copy is unencrypted. So it goes beside the database, not beside the archive, whose disk may belong to
  // somebody else.
  assertRoom(dataDir, statSync(source).size);
  const folder = makeTemporaryFolder(dataDir, '.backup');
  try {
    const copy = join(folder.path, DATABASE_NAME);
    const createdAt = clock.now();
    const { schemaVersion, problems } = await copyDatabase(source, copy, (done, total) =>
      onProgress({ what: 'copying', done, total }),
    );
    if (problems.length > 0) {
      throw new BackupError(
        'damaged',
        `The database of this gate is damaged (${problems[0]}), so no backup was made; keep the earlier ones.`,
      );
    }
    // Read after the copy: every key that signed the copy's contents still exists, because keys are retired and never
    // removed.
    const keyFiles = keyFilesFor(readKeyFiles(dataDir), includes);
    const contents = {
      created_at: createdAt,
      base_url: options.baseUrl,
      schema_version: schemaVersion,
      private_keys: includes,
      projects: await readProjects(folder.path),
    };
    const members: MemberSource[] = [
      {
        name: DATABASE_NAME,
        bytes: statSync(copy).size,
        sha256: await hashFile(copy),
        open: () => createReadStream(copy),
      },
      ...keyFiles.map(({ name, content }) => ({
        name,
        bytes: content.length,
        sha256: createHash('sha256').update(content).digest('hex'),
        open: async function* () {
          yield content;
        },
      })),
    ];
    const written = await writeArchive(file, { contents, members, key, onProgress });
    const encryptedTo = key === undefined ? null : key.kind === 'passphrase' ? 'passphrase' : 'recipients';
    return { ...written, encryptedTo };
  } finally {
    folder.remove();
  }
}

function privateKeysToInclude(files: readonly KeyFile[], { key, keysInClear }: BackupOptions): PrivateKeys {
  if (!files.some(liesInClear)) return 'as_kept';
  if (key !== undefined || keysInClear === 'included') return 'in_clear';
  if (keysInClear === 'left_out') return 'left_out';
  throw new BackupError(
    'keys_in_clear',
    'The signing keys are not encrypted, so anyone who reads this backup could sign permits. Encrypt it (--key-file, ' +
      'PERMITRY_BACKUP_KEY; permitry backup keygen creates a key), leave the keys out (--public-keys-only), or include ' +
      'them as they are (--with-plain-keys).',
  );
}

function keyFilesFor(files: readonly KeyFile[], includes: PrivateKeys): KeyFile[] {
  if (includes === 'left_out') return files.flatMap((file) => withoutPrivatePart(file) ?? []);
  // An unencrypted key was created after the check above.
  if (includes === 'as_kept' && files.some(liesInClear)) {
    throw new BackupError(
      'keys_in_clear',
      'An unencrypted signing key was created while the backup was taken. Start the backup again.',
    );
  }
  return [...files];
}

async function readProjects(directory: string): Promise<BackedUpProject[]> {
  const { read, close } = openReadOnly(directory);
  try {
    const projects = await read.listProjects();
    return await Promise.all(
      projects.map(async ({ id, name }) => {
        const head = await read.findChainHead(id);
        return { id, name, seq: head?.seq ?? 0, hash: head?.hash ?? null, head: head?.jws ?? null };
      }),
    );
  } finally {
    close();
  }
}

async function hashFile(path: string): Promise<string> {
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path)) hash.update(chunk as Buffer);
  return hash.digest('hex');
}

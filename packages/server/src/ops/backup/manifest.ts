/** The first member of an archive: what it contains, and when it was made. */
import { isInstant, isSha256Hash, type JsonObject, parseStrictJson } from '@permitry/protocol';
import type { Instant } from '../../gate/kernel/instant.ts';
import { BackupError } from './backup-error.ts';

export const MANIFEST_NAME = 'manifest.json';
export const DATABASE_NAME = 'permitry.sqlite';
const FORMAT = 'permitry-backup/1';

/** The form of the signing keys' private parts in an archive. */
export type PrivateKeys =
  /** As in the data directory, some of them unencrypted. */
  | 'in_clear'
  /** As in the data directory: encrypted, or only named because they are in hardware. */
  | 'as_kept'
  /** Left out. The public parts remain, so that signatures can still be verified. */
  | 'left_out';

/** The end of one project's chain in the copy. */
export interface BackedUpProject {
  id: string;
  name: string;
  /** 0 while nothing is sealed; then `hash` and `head` are null. */
  seq: number;
  hash: string | null;
  /** The signed head. */
  head: string | null;
}

export interface ArchiveMember {
  name: string;
  bytes: number;
  /** Hexadecimal. */
  sha256: string;
}

export interface Manifest {
  format: typeof FORMAT;
  /** The time before the copy began: the copy contains everything acknowledged until then. */
  created_at: Instant;
  base_url: string;
  schema_version: number;
  private_keys: PrivateKeys;
  projects: readonly BackedUpProject[];
  /** In archive order. */
  members: readonly ArchiveMember[];
}

export function writeManifest(manifest: Omit<Manifest, 'format'>): Buffer {
  return Buffer.from(`${JSON.stringify({ format: FORMAT, ...manifest }, null, 2)}\n`);
}

/** @throws BackupError `damaged`; `newer` for a later format than ours */
export function parseManifest(bytes: Uint8Array): Manifest {
  const value = readObject(bytes);
  const { format } = value;
  if (typeof format === 'string' && format !== FORMAT && /^permitry-backup\/\d+$/.test(format)) {
    throw new BackupError(
      'newer',
      `The backup has the format ${format} and this Permitry reads ${FORMAT}; use the release that wrote it, or a later one.`,
    );
  }
  if (!isManifest(value)) throw damaged();
  return value;
}

function readObject(bytes: Uint8Array): JsonObject {
  try {
    const value = parseStrictJson(bytes);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value;
  } catch (cause) {
    throw damaged(cause);
  }
  throw damaged();
}

function damaged(cause?: unknown): BackupError {
  return new BackupError('damaged', 'The manifest of the backup is not one, or is damaged.', { cause });
}

/** Names that can only be in the folder itself or its `keys`. */
const MEMBER_NAME = /^(permitry\.sqlite|keys\/[A-Za-z0-9_-][A-Za-z0-9_.-]{0,79})$/;
const PRIVATE_KEYS: readonly unknown[] = ['in_clear', 'as_kept', 'left_out'] satisfies PrivateKeys[];

function isManifest(value: Partial<Record<keyof Manifest, unknown>>): value is Manifest {
  const { members, projects } = value;
  return (
    value.format === FORMAT &&
    isInstant(value.created_at) &&
    typeof value.base_url === 'string' &&
    URL.canParse(value.base_url) &&
    isCount(value.schema_version) &&
    PRIVATE_KEYS.includes(value.private_keys) &&
    Array.isArray(projects) &&
    projects.every(isProject) &&
    Array.isArray(members) &&
    members.every(isMember) &&
    members[0]?.name === DATABASE_NAME &&
    new Set(members.map(({ name }) => name)).size === members.length
  );
}

function isMember(value: Partial<Record<keyof ArchiveMember, unknown>> | null): value is ArchiveMember {
  return (
    typeof value?.name === 'string' &&
    MEMBER_NAME.test(value.name) &&
    isCount(value.bytes) &&
    typeof value.sha256 === 'string' &&
    /^[0-9a-f]{64}$/.test(value.sha256)
  );
}

function isProject(value: Partial<Record<keyof BackedUpProject, unknown>> | null): value is BackedUpProject {
  if (typeof value?.id !== 'string' || typeof value.name !== 'string' || !isCount(value.seq)) return false;
  return value.seq === 0
    ? value.hash === null && value.head === null
    : isSha256Hash(value.hash) && typeof value.head === 'string';
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

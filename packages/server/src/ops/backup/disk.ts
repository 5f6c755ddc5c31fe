/** Durability of files, and free space. */
import { closeSync, fsyncSync, openSync, readdirSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { syncFolder } from '../../files/sync-folder.ts';
import { BackupError } from './backup-error.ts';

/** Leave this much, so that the server on the same disk does not run out of space. */
const RESERVE_BYTES = 64 * 1024 * 1024;

/** @throws BackupError `no_space` */
export function assertRoom(folder: string, bytes: number): void {
  const { bavail, bsize } = statfsSync(folder);
  const free = bavail * bsize;
  if (free >= bytes + RESERVE_BYTES) return;
  throw new BackupError(
    'no_space',
    `${folder} has ${megabytes(free)} free, and this takes ${megabytes(bytes)} and ${megabytes(RESERVE_BYTES)} to spare.`,
  );
}

function megabytes(bytes: number): string {
  return `${Math.ceil(bytes / 1e6).toLocaleString('en')} MB`;
}

/** Syncs every file below the folder, and the folders themselves. */
export function syncTree(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) syncTree(path);
    else syncFile(path);
  }
  syncFolder(folder);
}

function syncFile(path: string): void {
  const file = openSync(path, 'r');
  try {
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Prepares a gate in a temporary place. Nothing is in its final place until everything is ready. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { syncFolder } from '../../files/sync-folder.ts';
import { lockForServing } from '../../storage/sqlite/serving-lock.ts';
import { BackupError } from './backup-error.ts';
import { syncTree } from './disk.ts';
import { DATABASE_NAME } from './manifest.ts';
import { makeTemporaryFolder } from './temporary-folder.ts';

export interface Staging {
  path: string;
  /** Syncs everything and moves it to its final place. */
  publish(): void;
  /** Removes everything that was not published. */
  remove(): void;
}

/** This folder exists in the root of a separate file system. */
const NOT_OURS: readonly string[] = ['lost+found'];

/**
 * A new directory is published by one rename. An existing empty directory may be a mount point, or the only place where
 * this user may write. So its files are moved into it, the database last: without the database there is no gate.
 * @throws BackupError `occupied`; Error when a server uses the directory
 */
export function stageFor(dataDir: string): Staging {
  const target = resolve(dataDir);
  assertEmpty(target);
  return existsSync(target) ? stageWithin(target) : stageBeside(target);
}

function assertEmpty(target: string): void {
  if (!existsSync(target)) return;
  const found = readdirSync(target).filter((name) => !NOT_OURS.includes(name));
  if (found.length === 0) return;
  throw new BackupError(
    'occupied',
    `${target} is not empty (${found.slice(0, 3).join(', ')}); a backup is restored into an empty directory, or one that does not exist yet.`,
  );
}

function stageBeside(target: string): Staging {
  const parent = dirname(target);
  mkdirSync(parent, { recursive: true });
  const folder = makeTemporaryFolder(parent, `.${basename(target)}.restoring`);
  return {
    ...folder,
    publish() {
      syncTree(folder.path);
      assertEmpty(target);
      // Fails if somebody has put files into the directory meanwhile.
      renameSync(folder.path, target);
      syncFolder(parent);
    },
  };
}

function stageWithin(target: string): Staging {
  const lock = lockForServing(target);
  const folder = makeTemporaryFolder(target, '.restoring');
  return {
    path: folder.path,
    publish() {
      syncTree(folder.path);
      const names = readdirSync(folder.path).filter((name) => name !== DATABASE_NAME);
      for (const name of [...names, DATABASE_NAME]) {
        if (existsSync(join(target, name)))
          throw new BackupError('occupied', `${join(target, name)} was created in the meantime.`);
        renameSync(join(folder.path, name), join(target, name));
      }
      rmdirSync(folder.path);
      syncFolder(target);
    },
    remove() {
      folder.remove();
      lock.release();
    },
  };
}

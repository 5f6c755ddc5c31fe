/** Where a gate is made before it is one: nothing stands in its final place until everything does. */
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
  /** Syncs everything and moves it where it belongs. */
  publish(): void;
  /** Clears away what was not published. */
  remove(): void;
}

/** Stands in the root of a file system of its own. */
const NOT_OURS: readonly string[] = ['lost+found'];

/**
 * A directory that is not there yet comes into being by one rename. One that is there and empty may be a mount, or the
 * only place where this user may write, so it is filled from within, the database last: without it there is no gate.
 *
 * @throws BackupError `occupied`; Error when a server has the directory
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
    `${target} is not empty (${found.slice(0, 3).join(', ')}); a backup is restored into an empty directory, or one that is not there yet.`,
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
      // Fails when somebody has filled the directory since.
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
          throw new BackupError('occupied', `${join(target, name)} has come into being meanwhile.`);
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

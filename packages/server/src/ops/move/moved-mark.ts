/**
 * The mark on a data directory whose gate was moved into a database. The directory and the database must never both
 * serve.
 */
import { readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { syncFolder } from '../../files/sync-folder.ts';
import { writeWholeFile } from '../../files/whole-file.ts';
import { MoveError } from './move-error.ts';

const FILE = 'moved.json';

export interface MovedMark {
  /** The ID of this move, which is also in the database. */
  id: string;
  /** `moving`: data is still missing in the database, or is not checked yet. */
  state: 'moving' | 'moved';
  /** The database, without its password. */
  to: string;
  at: string;
}

export function readMovedMark(directory: string): MovedMark | undefined {
  let text: string;
  try {
    text = readFileSync(join(directory, FILE), 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  return JSON.parse(text) as MovedMark;
}

/** The mark is durable, because the database relies on it. */
export function writeMovedMark(directory: string, mark: MovedMark): void {
  writeWholeFile(join(directory, FILE), `${JSON.stringify(mark, null, 2)}\n`);
}

export function removeMovedMark(directory: string): void {
  rmSync(join(directory, FILE), { force: true });
  syncFolder(directory);
}

/** @throws MoveError `moved` */
export function assertNotMoved(directory: string): void {
  const mark = readMovedMark(directory);
  if (!mark) return;
  throw new MoveError(
    'moved',
    mark.state === 'moved'
      ? `The gate of ${directory} was moved to ${mark.to} at ${mark.at}, and two copies must not both serve. Serve that one; or see: permitry move --help`
      : `The gate of ${directory} is being moved to ${mark.to} since ${mark.at}. Run the same permitry move again to finish, or permitry move --undo --from ${directory} to stay here.`,
  );
}

/**
 * Small files for their owner only. Nobody ever reads a half-written file, neither during a write nor after a crash.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncFolder } from './sync-folder.ts';

/** Files are created with this mode: if it were narrowed later, another user could already have opened the file. */
const OWNER_ONLY = 0o600;

/**
 * Writes the text to the path. Either replaces an existing file or leaves it unchanged. A crash may leave a `.tmp` file
 * beside it.
 * @param options.durable Whether the file survives a power failure after this returns. False: a power failure may leave
 * an empty file. Use false only if the file is written again within seconds and its reader expects this. It saves time,
 * because each durable write makes the disk wait twice.
 */
export function writeWholeFile(path: string, text: string, { durable = true } = {}): void {
  const draft = writeDraft(path, text, durable);
  try {
    renameSync(draft, path);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  }
  if (durable) syncFolder(dirname(path));
}

/**
 * Like a durable `writeWholeFile`, but never replaces a file. Of several concurrent callers, only one creates it.
 * @returns whether it was created; `false` if there is already a file
 */
export function createWholeFile(path: string, text: string): boolean {
  const draft = writeDraft(path, text, true);
  try {
    // Unlike a rename, a link does not replace an existing file.
    linkSync(draft, path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
  syncFolder(dirname(path));
  return true;
}

/** Uses a unique name: processes in several containers may share a folder and have the same process ID. */
function writeDraft(path: string, text: string, durable: boolean): string {
  const draft = `${path}.${randomUUID()}.tmp`;
  const file = openSync(draft, 'wx', OWNER_ONLY);
  try {
    writeFileSync(file, text);
    if (durable) fsyncSync(file);
  } catch (error) {
    rmSync(draft, { force: true });
    throw error;
  } finally {
    closeSync(file);
  }
  return draft;
}

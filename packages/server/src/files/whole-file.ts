/**
 * Small files for their owner only. Nobody ever sees one half written: neither a concurrent reader, nor after a crash.
 */
import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncFolder } from './sync-folder.ts';

/** From the start: a file whose mode is narrowed later may already have been opened. */
const OWNER_ONLY = 0o600;

/**
 * Writes the text to the path and replaces an existing file, or leaves that one unchanged. A crash may leave a `.tmp`
 * file beside it.
 * @param options.durable Whether the file survives a power failure once this returns. Without it, a power failure may
 * leave an empty file. That suits a file that is written again within seconds, whose reader expects this: each durable
 * write makes the disk wait twice.
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
 * The same, durable, but never replaces another file. Of several concurrent callers, one creates it.
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

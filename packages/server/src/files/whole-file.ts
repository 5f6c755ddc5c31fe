/** Small files for their owner alone, which nobody ever sees half written: not who reads them meanwhile, nor after a crash. */
import { randomUUID } from 'node:crypto';
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { syncFolder } from './sync-folder.ts';

/** From its first moment on: what is narrowed later may have been opened before. */
const OWNER_ONLY = 0o600;

/**
 * Puts the text at the path, in place of a file that is there, or leaves that one as it was. A crash may leave a
 * `.tmp` file beside it.
 *
 * @param options.durable Once it returns, the file outlives a power failure. Where it is not durable, a power failure
 *   may leave an empty file: that is for what is written again within seconds and read with that in mind, since each
 *   durable writing makes the disk wait twice.
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
 * The same, durably, but never in place of another file: of several who make it at once, one does.
 *
 * @returns whether it was made; `false` where a file is there already
 */
export function createWholeFile(path: string, text: string): boolean {
  const draft = writeDraft(path, text, true);
  try {
    // Unlike a rename, a link does not take the place of what stands there.
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

/** Under a name that nobody else has: processes of several containers may share a folder, each with the same id. */
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

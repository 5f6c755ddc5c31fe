/**
 * A scenario's own folder. When the scenario ends, the folder is removed, and gates that are still running are killed.
 */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killAllGates } from './gate/gate-process.ts';

export async function inWorkplace<T>(name: string, work: (folder: string) => Promise<T>): Promise<T> {
  // The folder's real path, because the shim identifies files by the system's names.
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `permitry-faults-${name}-`)));
  try {
    return await work(folder);
  } finally {
    await killAllGates();
    rmSync(folder, { recursive: true, force: true });
  }
}

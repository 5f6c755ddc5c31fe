/** A folder of a scenario's own, removed when it ends; gates left running end with it. */
import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { killAllGates } from './gate/gate-process.ts';

export async function inWorkplace<T>(name: string, work: (folder: string) => Promise<T>): Promise<T> {
  // Its real path: the shim knows files by what the system calls them.
  const folder = realpathSync(mkdtempSync(join(tmpdir(), `permitry-faults-${name}-`)));
  try {
    return await work(folder);
  } finally {
    await killAllGates();
    rmSync(folder, { recursive: true, force: true });
  }
}

import { mkdirSync, mkdtempSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** A directory of this run's own where databases are kept, on a real file system; whoever made it removes it. */
export function makeWorkDir(storeDir: string, prefix: string): string {
  mkdirSync(storeDir, { recursive: true });
  return mkdtempSync(join(resolve(storeDir), prefix));
}

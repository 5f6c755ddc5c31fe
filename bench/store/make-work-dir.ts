import { mkdirSync, mkdtempSync } from 'node:fs';
import { join, resolve } from 'node:path';

/** A directory for this run's databases, on a real file system. The caller removes it. */
export function makeWorkDir(storeDir: string, prefix: string): string {
  mkdirSync(storeDir, { recursive: true });
  return mkdtempSync(join(resolve(storeDir), prefix));
}

import { randomBytes } from 'node:crypto';
import { lstatSync, mkdirSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';

const LEFT_BEHIND_AFTER_MS = 60 * 60 * 1000;

/**
 * A folder that holds unencrypted secrets for a short time: mode 0700, removed at the latest when the process exits.
 */
export interface TemporaryFolder {
  path: string;
  remove(): void;
}

/**
 * Makes a folder, and removes folders with the same stem that an earlier, killed process left.
 * @param stem The beginning of the folder's name.
 */
export function makeTemporaryFolder(parent: string, stem: string): TemporaryFolder {
  removeLeftBehind(parent, stem);
  const path = join(parent, `${stem}-${process.pid}-${randomBytes(4).toString('hex')}`);
  mkdirSync(path, { mode: 0o700 });
  const clear = () => rmSync(path, { recursive: true, force: true });
  process.once('exit', clear);
  return {
    path,
    remove() {
      process.off('exit', clear);
      clear();
    },
  };
}

function removeLeftBehind(parent: string, stem: string): void {
  for (const name of readdirSync(parent)) {
    const [, pid] = name.startsWith(`${stem}-`) ? (/-(\d+)-[0-9a-f]{8}$/.exec(name) ?? []) : [];
    if (pid === undefined || isAlive(Number(pid))) continue;
    const path = join(parent, name);
    const found = lstatSync(path, { throwIfNoEntry: false });
    // In a folder where everyone may write, such as /tmp, a folder of another user may be a trap.
    if (!found || found.uid !== (process.getuid?.() ?? found.uid)) continue;
    // The process may be alive in another container and not visible from here. So only old folders are removed.
    const age = Date.now() - found.mtimeMs;
    if (age > LEFT_BEHIND_AFTER_MS) rmSync(path, { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

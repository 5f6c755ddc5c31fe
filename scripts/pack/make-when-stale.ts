import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

const ABANDONED_MS = 120_000;
/** A file in a lock's folder that names the process holding the lock. */
const OWNER = 'pid';

interface Making {
  /** The results and their sources: files, or folders with everything in them. */
  made: readonly string[];
  sources: readonly string[];
  /** A folder that exists during the build. */
  lock: string;
  make: () => void | Promise<void>;
}

/**
 * Rebuilds what is missing or older than its sources, because tests must run the current state. One process at a time.
 */
export async function makeWhenStale(making: Making): Promise<void> {
  if (isStale(making)) await makeAlone({ ...making, isWanted: () => isStale(making) });
}

/** Builds in one process at a time. Evaluates `isWanted` when this process may build. */
export async function makeAlone({
  lock,
  make,
  isWanted = () => true,
}: Pick<Making, 'lock' | 'make'> & { isWanted?: () => boolean }): Promise<void> {
  await take(lock);
  try {
    if (isWanted()) await make();
  } finally {
    rmSync(lock, { recursive: true, force: true });
  }
}

function isStale({ made, sources }: Making): boolean {
  const oldest = Math.min(...made.map((path) => statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0));
  return oldest === 0 || newest(sources) > oldest;
}

function newest(paths: readonly string[]): number {
  const times = paths.flatMap((path) => {
    const stats = statSync(path, { throwIfNoEntry: false });
    if (!stats) return [];
    if (!stats.isDirectory()) return [stats.mtimeMs];
    const names = readdirSync(path, { recursive: true, encoding: 'utf8' });
    return names.map((name) => statSync(join(path, name), { throwIfNoEntry: false })?.mtimeMs ?? 0);
  });
  return Math.max(0, ...times);
}

async function take(lock: string): Promise<void> {
  for (;;) {
    try {
      mkdirSync(lock);
      writeFileSync(join(lock, OWNER), String(process.pid));
      return;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
      if (isAbandoned(lock)) rmSync(lock, { recursive: true, force: true });
      await wait(100);
    }
  }
}

/** A running process may take long on a busy machine, but a process that has ended never finishes. */
function isAbandoned(lock: string): boolean {
  const since = statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now();
  return Date.now() - since > ABANDONED_MS && !isAtIt(lock);
}

function isAtIt(lock: string): boolean {
  try {
    const pid = Number(readFileSync(join(lock, OWNER), 'utf8'));
    return pid > 0 && process.kill(pid, 0);
  } catch {
    return false;
  }
}

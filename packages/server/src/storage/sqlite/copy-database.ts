import { statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import type { DatabaseFacts, DatabaseTask } from './database-task.ts';

const POLL_EVERY_MS = 250;

/**
 * Makes a consistent copy of a database that others may be writing to, and checks its integrity. The copy contains
 * everything committed before the call.
 *
 * @param target Must not exist. It is not synced to the disk; the caller does that.
 * @param onProgress Called with the bytes so far and the approximate total.
 * @throws Error when the file is not a database of ours, is newer than this code, or cannot be read or copied
 */
export async function copyDatabase(
  source: string,
  target: string,
  onProgress: (done: number, total: number) => void = () => {},
): Promise<DatabaseFacts> {
  const total = statSync(source).size;
  const polling = setInterval(() => {
    onProgress(Math.min(statSync(target, { throwIfNoEntry: false })?.size ?? 0, total), total);
  }, POLL_EVERY_MS);
  try {
    return await run({ kind: 'copy', source, target });
  } finally {
    clearInterval(polling);
  }
}

/** Checks whether a database file is ours and intact. `problems` lists what is wrong with it. */
export function inspectDatabase(file: string): Promise<DatabaseFacts> {
  return run({ kind: 'inspect', file });
}

/**
 * Each task runs in a thread of its own, because it is one long call of SQLite. Signals and progress must not wait for
 * it.
 */
function run(task: DatabaseTask): Promise<DatabaseFacts> {
  return new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./database-task.ts', import.meta.url), { workerData: task });
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', (code) => reject(new Error(`the database thread ended with ${code}`)));
  });
}

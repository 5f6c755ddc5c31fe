/** The thread of `forget`. Waiting and working here delay no request. */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import type { ForgetInput } from './forget.ts';

const { file, timeoutMs, rewriteBelowBytes } = workerData as ForgetInput;

function readNumber(database: DatabaseSync, pragma: string): number {
  return Number(Object.values(database.prepare(`pragma ${pragma}`).get() ?? {})[0]);
}

function emptyLog(database: DatabaseSync): void {
  const outcome = database.prepare('pragma wal_checkpoint(truncate)').get();
  if (outcome?.busy !== 0) throw new Error('the write-ahead log is in use');
}

const database = new DatabaseSync(file, { timeout: timeoutMs });
try {
  const bytes = readNumber(database, 'page_count') * readNumber(database, 'page_size');
  const isRewritten = bytes < rewriteBelowBytes;
  if (isRewritten) database.exec('vacuum');
  emptyLog(database);
  parentPort?.postMessage(isRewritten);
} finally {
  database.close();
}

/** What the operator does about unfinished erasures. It takes none of the gate's keys. */
import { finishErasures, type UnfinishedErasure } from '../gate/erasure/unfinished-erasure.ts';
import { type GateDatabase, openStorage } from '../storage/open-storage.ts';
import type { OpenStorage } from '../storage/storage.ts';

/**
 * Rewrites the files of the database where erasures are unfinished, beside gates that may be running on it.
 *
 * @param onTable Told of each table before it is rewritten; PostgreSQL only.
 * @returns how many erasures were finished
 * @throws GateError `conflict`, which says what has to be done first, or `service_unavailable`: everything stays listed
 */
export function finishErasuresOf(database: GateDatabase, onTable: (table: string) => void): Promise<number> {
  return withStorage(database, (storage) => finishErasures({ storage }, { rewrite: true, onTable }));
}

/** Oldest first. */
export function listUnfinishedErasuresOf(database: GateDatabase): Promise<readonly UnfinishedErasure[]> {
  return withStorage(database, ({ read }) => read.listUnfinishedErasures());
}

async function withStorage<T>(
  database: GateDatabase,
  work: (storage: OpenStorage) => Promise<T>,
): Promise<T> {
  const storage = await openStorage(database, { schema: 'check' });
  try {
    return await work(storage);
  } finally {
    await storage.close();
  }
}

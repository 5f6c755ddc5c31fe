/** The operator's actions on unfinished erasures. They need none of the gate's keys. */
import { finishErasures, type UnfinishedErasure } from '../gate/erasure/unfinished-erasure.ts';
import { type GateDatabase, openStorage } from '../storage/open-storage.ts';
import type { OpenStorage } from '../storage/storage.ts';

/**
 * Rewrites the database files that have unfinished erasures, even while gates run on the database.
 * @param onTable Called before each table is rewritten; PostgreSQL only.
 * @returns the number of finished erasures
 * @throws GateError `conflict`, which says what to do first, or `service_unavailable`. In both cases, all erasures stay
 * listed
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

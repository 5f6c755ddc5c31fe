import { DatabaseSync } from 'node:sqlite';
import type { Reader } from '../nouns.ts';
import { SqlStore } from '../queries/stores.ts';
import { SqliteConnection } from './connection.ts';
import { databaseFile } from './open-database.ts';

const BUSY_TIMEOUT_MS = 5000;

/**
 * Another connection that only reads, for work beside the requests. It maps no memory and caches few pages, because it
 * reads everything only once.
 */
export function openReadOnly(directory: string): { read: Reader; close(): void } {
  const database = new DatabaseSync(databaseFile(directory), { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  database.exec('pragma cache_size = -4096; pragma mmap_size = 0; pragma temp_store = memory');
  return {
    read: new SqlStore(new SqliteConnection(database)),
    close: () => database.close(),
  };
}

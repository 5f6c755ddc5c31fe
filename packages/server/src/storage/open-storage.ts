/** Chooses the database of a gate and opens its storage. Loads only the code that this database needs. */
import type { Reader } from './nouns.ts';
import type { PostgresStorageOptions } from './postgres/open-postgres-storage.ts';
import type { OpenStorage } from './storage.ts';

/** A directory, or a PostgreSQL database with its timeouts. */
export type GateDatabase =
  | { directory: string }
  | Pick<PostgresStorageOptions, 'url' | 'answerTimeoutMs' | 'retryForMs' | 'session'>;

/**
 * @param schema What to do with a PostgreSQL database of an older release, or without tables. A file is always updated.
 */
export async function openStorage(
  database: GateDatabase,
  { schema = 'update', onMigrating }: Pick<PostgresStorageOptions, 'schema' | 'onMigrating'> = {},
): Promise<OpenStorage> {
  if ('directory' in database) {
    const { openSqliteStorage } = await import('./sqlite/open-sqlite-storage.ts');
    return openSqliteStorage(database);
  }
  const { openPostgresStorage } = await import('./postgres/open-postgres-storage.ts');
  return openPostgresStorage({ ...database, schema, onMigrating });
}

/** A separate connection for long reads, so that requests do not wait behind a walk over a million intents. */
export async function openReader(
  database: GateDatabase,
): Promise<{ read: Reader; close(): void | Promise<void> }> {
  if ('directory' in database) {
    const { openReadOnly } = await import('./sqlite/open-read-only.ts');
    return openReadOnly(database.directory);
  }
  return openStorage(database, { schema: 'check' });
}

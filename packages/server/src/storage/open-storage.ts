/** Which database a gate stands on, and its storage. What one of them needs is loaded only where it is the one. */
import type { Reader } from './nouns.ts';
import type { PostgresStorageOptions } from './postgres/open-postgres-storage.ts';
import type { OpenStorage } from './storage.ts';

/** A directory, or a PostgreSQL database, and how patient one is with it. */
export type GateDatabase =
  | { directory: string }
  | Pick<PostgresStorageOptions, 'url' | 'answerTimeoutMs' | 'retryForMs' | 'session'>;

/**
 * @param schema What to do with a PostgreSQL database of an older release, or without tables: a file is always brought
 * up to date.
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

/** A connection of one's own for work beside the requests: they must not wait behind a walk over a million intents. */
export async function openReader(
  database: GateDatabase,
): Promise<{ read: Reader; close(): void | Promise<void> }> {
  if ('directory' in database) {
    const { openReadOnly } = await import('./sqlite/open-read-only.ts');
    return openReadOnly(database.directory);
  }
  return openStorage(database, { schema: 'check' });
}

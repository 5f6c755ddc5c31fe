import { existsSync, statSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import type { Reader } from '../nouns.ts';
import type { SchemaStatus } from '../outdated-schema-error.ts';
import { SqlStore } from '../queries/stores.ts';
import { SqliteConnection } from './connection.ts';
import { readSchemaStatus } from './migrate.ts';
import { databaseFile } from './open-database.ts';

const BUSY_TIMEOUT_MS = 5000;

/**
 * Opens the database without changing its directory. Unlike `openReadOnly`, it leaves no new files next to a database
 * that no gate has open. It does not repair what a killed gate left behind.
 *
 * Undefined when there is a log without its index (`-shm`), because opening would create the index.
 *
 * @throws a plain Error for a file that is not ours
 */
export function openUnchanged(
  directory: string,
  { isServed }: { isServed: boolean },
): { schema: SchemaStatus; read: Reader; close(): void } | undefined {
  const file = pathToFileURL(databaseFile(directory));
  if (!isServed) {
    const hasLog = (statSync(`${databaseFile(directory)}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
    if (hasLog && !existsSync(`${databaseFile(directory)}-shm`)) return undefined;
    file.searchParams.set(hasLog ? 'readonly_shm' : 'immutable', '1');
  }
  const database = new DatabaseSync(file, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    return {
      schema: readSchemaStatus(database),
      read: new SqlStore(new SqliteConnection(database)),
      close: () => database.close(),
    };
  } catch (cause) {
    database.close();
    throw new Error(`${databaseFile(directory)} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

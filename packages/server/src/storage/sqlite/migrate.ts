import type { DatabaseSync } from 'node:sqlite';
import { sqliteMigrations } from '../migrations/sqlite.ts';
import { findNewerSchema, type SchemaStatus } from '../outdated-schema-error.ts';

/** `PRAGMA application_id` of our files: "PRMT" in ASCII. */
export const APPLICATION_ID = 0x50_52_4d_54;

/**
 * Brings the schema up to date, each migration in a transaction of its own. Two processes may try at once: the second
 * waits, and finds it done. `PRAGMA user_version` holds how many were run.
 *
 * @throws a plain Error for a file that is not ours, or was written by a newer Permitry.
 */
export function migrate(database: DatabaseSync, migrations: readonly string[]): void {
  assertOurs(database);
  while (schemaVersion(database) < migrations.length) {
    database.exec('begin immediate');
    try {
      const version = schemaVersion(database);
      const next = migrations[version];
      if (next !== undefined) {
        database.exec(next);
        database.exec(`pragma application_id = ${APPLICATION_ID}`);
        database.exec(`pragma user_version = ${version + 1}`);
      }
      database.exec('commit');
    } catch (error) {
      if (database.isTransaction) database.exec('rollback');
      throw error;
    }
  }
  const newer = findNewerSchema({ version: schemaVersion(database), needed: migrations.length });
  if (newer !== undefined) throw new Error(newer);
}

/** @throws a plain Error for a file that is not ours */
export function readSchemaStatus(database: DatabaseSync): SchemaStatus {
  assertOurs(database);
  return { version: schemaVersion(database), needed: sqliteMigrations.length };
}

function assertOurs(database: DatabaseSync): void {
  const id = readPragma(database, 'application_id');
  if (id === APPLICATION_ID) return;
  const tables = database.prepare('select count(*) as count from sqlite_schema').get();
  if (id === 0 && tables?.count === 0) return;
  throw new Error(
    'The file permitry.sqlite in this directory is not a Permitry database; nothing was changed.',
  );
}

function schemaVersion(database: DatabaseSync): number {
  return Number(readPragma(database, 'user_version'));
}

/** The value a pragma answers with. */
export function readPragma(database: DatabaseSync, name: string): unknown {
  return Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0];
}

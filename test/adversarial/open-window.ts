import { DatabaseSync, type StatementSync } from 'node:sqlite';
import type { GateDatabase } from '../../packages/server/src/storage/open-storage.ts';
import { databaseFile } from '../../packages/server/src/storage/sqlite/open-database.ts';
import { type DatabaseWindow, openPostgresWindow } from './postgres-window.ts';

/** Reads synchronously what a gate has committed to its database. */
export function openWindow(database: GateDatabase): DatabaseWindow {
  if ('url' in database) return openPostgresWindow(database.url);
  const file = new DatabaseSync(databaseFile(database.directory), { readOnly: true });
  const statements = new Map<string, StatementSync>();
  const prepare = (sql: string): StatementSync => {
    const statement = statements.get(sql) ?? file.prepare(sql);
    statements.set(sql, statement);
    return statement;
  };
  return {
    all: (sql, ...values) => prepare(sql).all(...values),
    version: () => prepare('pragma data_version').get()?.data_version,
    close: () => file.close(),
  };
}

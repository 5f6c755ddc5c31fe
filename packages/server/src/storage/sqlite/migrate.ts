import type { DatabaseSync } from 'node:sqlite';
import { inWordsOf, type Migration, type Step } from '../migrations/migration.ts';
import { MIGRATIONS } from '../migrations/migrations.ts';
import {
  NOTHING_DONE,
  READ_RECORD,
  RECORD_TABLE,
  recordSteps,
  type SchemaState,
  toState,
} from '../migrations/record.ts';
import { findNewerSchema, type SchemaStatus } from '../outdated-schema-error.ts';

/** `PRAGMA application_id` of our files: "PRMT" in ASCII. */
export const APPLICATION_ID = 0x50_52_4d_54;

/**
 * Updates the schema. Each migration is one transaction, whatever its steps, because nobody is served meanwhile. Two
 * processes may try at once: the second waits, and finds it done.
 *
 * @throws a plain Error for a file that is not ours, or that only a newer Permitry may use.
 */
export function migrate(database: DatabaseSync, migrations: readonly Migration[]): void {
  assertOurs(database);
  while (readSchema(database).version < migrations.length) {
    database.exec('begin immediate');
    try {
      const { version } = readSchema(database);
      const next = migrations[version];
      if (next !== undefined) {
        if (version === 0) {
          database.exec(`pragma application_id = ${APPLICATION_ID}`);
          database.exec(inWordsOf('sqlite', RECORD_TABLE));
        }
        for (const step of next.steps) database.exec(toStatement(step));
        database.exec(recordSteps(version + 1, next, next.steps.length));
      }
      database.exec('commit');
    } catch (error) {
      if (database.isTransaction) database.exec('rollback');
      throw error;
    }
  }
  const newer = findNewerSchema({ ...readSchema(database), needed: migrations.length });
  if (newer !== undefined) throw new Error(newer);
}

function toStatement(step: Step): string {
  if ('statement' in step) return inWordsOf('sqlite', step.statement);
  if ('index' in step) return `create index ${step.index} on ${inWordsOf('sqlite', step.on)}`;
  return `update ${step.fill} set ${step.set} where ${step.where}`;
}

/** @throws a plain Error for a file that is not ours */
export function readSchemaStatus(database: DatabaseSync): SchemaStatus {
  assertOurs(database);
  const { version, servesFrom } = readSchema(database);
  return { version, servesFrom, needed: MIGRATIONS.length };
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

/** The migrations done so far; none in an empty file. */
export function readSchema(database: DatabaseSync): SchemaState {
  if (readPragma(database, 'application_id') !== APPLICATION_ID) return NOTHING_DONE;
  return toState(database.prepare(READ_RECORD).get());
}

/** The value that a pragma returns. */
export function readPragma(database: DatabaseSync, name: string): unknown {
  return Object.values(database.prepare(`pragma ${name}`).get() ?? {})[0];
}

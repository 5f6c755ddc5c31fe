/** Runs in a thread of its own: copies a database file, and describes its content. Started by copy-database.ts. */
import { DatabaseSync } from 'node:sqlite';
import { parentPort, workerData } from 'node:worker_threads';
import { MIGRATIONS } from '../migrations/migrations.ts';
import { APPLICATION_ID, migrate, readPragma, readSchema } from './migrate.ts';

export type DatabaseTask =
  | { kind: 'copy'; source: string; target: string }
  | { kind: 'inspect'; file: string };

/** Facts that a database file contains about itself. */
export interface DatabaseFacts {
  schemaVersion: number;
  /** Empty when every page, index and reference is intact and the tables are those of that version. */
  problems: readonly string[];
}

const BUSY_TIMEOUT_MS = 5000;
const MOST_PROBLEMS = 10;

function copy(source: string, target: string): DatabaseFacts {
  const database = new DatabaseSync(source, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
  try {
    assertReadable(database);
    // The copy is packed into an archive that is synced. Syncing the copy as well would hold up the server's own
    // commits.
    database.exec('pragma synchronous = off');
    // The copy is one read transaction from beginning to end. It never starts over, however much is written meanwhile,
    // and blocks no writer. The copy contains no deleted data.
    database.prepare('vacuum into ?').run(target);
  } finally {
    database.close();
  }
  return inspect(target);
}

function inspect(file: string): DatabaseFacts {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    assertReadable(database);
    const { version: schemaVersion } = readSchema(database);
    return {
      schemaVersion,
      problems: [...schemaProblems(database, schemaVersion), ...dataProblems(database)],
    };
  } finally {
    database.close();
  }
}

function assertReadable(database: DatabaseSync): void {
  if (readPragma(database, 'application_id') !== APPLICATION_ID)
    throw new Error('it is not a Permitry database');
  const { version } = readSchema(database);
  if (version > MIGRATIONS.length) {
    throw new Error(
      `it has schema version ${version}, and this Permitry knows ${MIGRATIONS.length}: use the release that wrote it, or a later one`,
    );
  }
}

/** A trigger or a view that we did not create could undo the gate's writes. */
function schemaProblems(database: DatabaseSync, version: number): string[] {
  const expected = new DatabaseSync(':memory:');
  try {
    migrate(expected, MIGRATIONS.slice(0, version));
    return schemaOf(database) === schemaOf(expected)
      ? []
      : [`its tables are not those of schema version ${version}`];
  } finally {
    expected.close();
  }
}

/** Everything except the tables of "analyze", by their exact names, because a pattern would match others as well. */
function schemaOf(database: DatabaseSync): string {
  const rows = database
    .prepare(
      "select type, name, tbl_name, sql from sqlite_schema where not (type = 'table' and name in ('sqlite_stat1', 'sqlite_stat4')) order by type, name",
    )
    .all();
  return JSON.stringify(rows);
}

function dataProblems(database: DatabaseSync): string[] {
  const pages = database.prepare(`pragma integrity_check(${MOST_PROBLEMS})`).all();
  const found = pages.map((row) => String(row.integrity_check)).filter((line) => line !== 'ok');
  const references = database.prepare('pragma foreign_key_check').all().slice(0, MOST_PROBLEMS);
  return [
    ...found,
    ...references.map(
      ({ table, parent }) => `a row of ${table} refers to a row of ${parent} that is not there`,
    ),
  ];
}

function perform(task: DatabaseTask): DatabaseFacts {
  return task.kind === 'copy' ? copy(task.source, task.target) : inspect(task.file);
}

parentPort?.postMessage(perform(workerData as DatabaseTask));

/** Copies rows from a file into the database without changes, and sets the sequences of numbered columns. */
import type { DatabaseSync } from 'node:sqlite';
import type { ClientBase } from 'pg';
import { MoveError } from './move-error.ts';
import type { TargetTable } from './target-tables.ts';

export type OnMoved = (progress: { table: string; done: number; total: number }) => void;

/** One statement inserts this many rows or characters, whichever limit comes first. */
const ROWS_AT_ONCE = 2000;
const LETTERS_AT_ONCE = 4_000_000;

type Value = string | number | null;

/** Returns the number of rows. */
export async function carryTable(
  source: DatabaseSync,
  target: ClientBase,
  table: TargetTable,
  onMoved: OnMoved,
): Promise<number> {
  const total = countRows(source, table.name);
  const insert = insertOf(table);
  let done = 0;
  // Reads the next rows while the previous ones are being sent.
  let underWay: Promise<unknown> = Promise.resolve();
  for (const batch of batchesOf(source, table)) {
    await underWay;
    done += batch[0]?.length ?? 0;
    underWay = target.query(insert, batch);
    // The next await throws the error.
    underWay.catch(() => {});
    onMoved({ table: table.name, done, total });
  }
  await underWay;
  for (const column of table.identities) {
    await target.query(
      `select setval(pg_get_serial_sequence($1, $2), greatest(max(${quoted(column)}), 1), max(${quoted(column)}) is not null) from ${quoted(table.name)}`,
      [quoted(table.name), column],
    );
  }
  return done;
}

export function countRows(source: DatabaseSync, table: string): number {
  return Number(source.prepare(`select count(*) as count from ${quoted(table)}`).get()?.count);
}

/** Rows as one array per column, for `unnest`. */
function* batchesOf(source: DatabaseSync, table: TargetTable): Generator<Value[][], void, void> {
  const statement = source.prepare(
    `select ${table.columns.map(({ name }) => quoted(name)).join(', ')} from ${quoted(table.name)}`,
  );
  statement.setReturnArrays(true);
  const empty = (): Value[][] => table.columns.map(() => []);
  let batch = empty();
  let letters = 0;
  for (const row of statement.iterate() as unknown as Iterable<Value[]>) {
    for (const [index, value] of row.entries()) {
      if (typeof value === 'string') {
        letters += value.length;
        if (value.includes('\0')) throw unholdable(table, index, row);
      }
      batch[index]?.push(value);
    }
    if ((batch[0]?.length ?? 0) < ROWS_AT_ONCE && letters < LETTERS_AT_ONCE) continue;
    yield batch;
    batch = empty();
    letters = 0;
  }
  if ((batch[0]?.length ?? 0) > 0) yield batch;
}

function unholdable({ name, columns }: TargetTable, index: number, row: readonly Value[]): MoveError {
  const column = columns[index]?.name ?? '';
  const id = row[columns.findIndex((one) => one.name === 'id')] ?? row[0];
  return new MoveError(
    'damaged',
    `PostgreSQL cannot hold the text in ${name}.${column} of ${id}: it contains a NUL character. Go back with permitry move --undo, erase or change that text, and move again.`,
  );
}

function insertOf({ name, columns }: TargetTable): string {
  const names = columns.map((column) => quoted(column.name)).join(', ');
  const arrays = columns.map(({ type }, index) => `$${index + 1}::${type}[]`).join(', ');
  return `insert into ${quoted(name)} (${names}) select * from unnest(${arrays})`;
}

export function quoted(name: string): string {
  return `"${name.replaceAll('"', '""')}"`;
}

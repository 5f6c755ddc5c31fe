/** The migrations create the same schema on every database, except what is named here. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openDatabase } from '../../src/storage/sqlite/open-database.ts';
import { withClient } from '../fixtures/postgres/create-template.ts';
import { openTestDatabase } from '../fixtures/postgres/open-test-database.ts';

interface Column {
  table: string;
  name: string;
  type: 'number' | 'text' | string;
  nullable: boolean;
}

/**
 * `table.column`. On SQLite an event has its place in the chain from the start, on PostgreSQL only once it is sealed.
 */
const NULL_IN_POSTGRES_ALONE = ['events.seq'];
/** Only needed by several gates on one database. */
const POSTGRES_ALONE = ['rate_budgets'];

let sqlite: Column[];
let postgres: Column[];
let drop: () => Promise<void>;

beforeAll(async () => {
  const directory = mkdtempSync(join(tmpdir(), 'permitry-schemas-'));
  const { writer, reader } = openDatabase(directory);
  sqlite = writer
    .prepare(`
      select tables.name as "table", columns.name, columns.type, columns."notnull" as required, columns.pk
      from sqlite_schema as tables, pragma_table_info(tables.name) as columns
      where tables.type = 'table' and tables.name not like 'sqlite%'`)
    .all()
    .map((row) => ({
      table: String(row.table),
      name: String(row.name),
      type: row.type === 'INTEGER' ? 'number' : 'text',
      nullable: row.required === 0 && row.pk === 0,
    }));
  reader.close();
  writer.close();
  rmSync(directory, { recursive: true, force: true });

  const database = await openTestDatabase();
  drop = database.drop;
  const { rows } = await withClient(database.url, (client) =>
    client.query<{ table: string; name: string; type: string; collation: string | null; nullable: string }>(`
      select table_name as "table", column_name as name, data_type as type, collation_name as collation,
        is_nullable as nullable
      from information_schema.columns
      where table_schema = current_schema()`),
  );
  postgres = rows.map(({ table, name, type, collation, nullable }) => ({
    table,
    name,
    type:
      type === 'bigint' ? 'number' : type === 'text' && collation === 'C' ? 'text' : `${type} ${collation}`,
    nullable: nullable === 'YES',
  }));
});
afterAll(() => drop());

const nameOf = ({ table, name }: Column) => `${table}.${name}`;
const inOrder = (columns: readonly Column[]) => columns.toSorted((a, b) => (nameOf(a) < nameOf(b) ? -1 : 1));

it('tables and columns are the same on SQLite and PostgreSQL, texts sort by bytes and numbers have 64 bits', () => {
  const expected = sqlite.map((column) =>
    NULL_IN_POSTGRES_ALONE.includes(nameOf(column)) ? { ...column, nullable: true } : column,
  );
  expect(sqlite.length).toBeGreaterThan(300);
  expect(inOrder(postgres.filter(({ table }) => !POSTGRES_ALONE.includes(table)))).toEqual(inOrder(expected));
});

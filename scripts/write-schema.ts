/**
 * Writes the first migration of each dialect from the tables; with `--check` it only says whether they are up to date. It
 * is frozen with the first release: from then on a change of a table is a migration of its own.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Dialect } from '../packages/server/src/storage/sql/table.ts';
import { toSql } from './schema/to-sql.ts';

const FOLDER = join(import.meta.dirname, '../packages/server/src/storage/migrations');

/** Functions of SQLite that the queries call, under the same names. */
const FUNCTIONS = `create function instr(whole text, part text) returns integer
  language sql immutable strict parallel safe as 'select strpos(whole, part)';
create function json_extract(document text, path text) returns text
  language sql immutable strict parallel safe
  as 'select document::json #>> string_to_array(substr(path, 3), ''.'')';

`;

function toFile(dialect: Dialect): string {
  const functions = dialect === 'postgres' ? FUNCTIONS : '';
  return `/** Written by \`npm run schema\` from storage/sql/tables.ts. */\nexport const tables = \`\n${functions}${toSql(dialect)}\n\`;\n`;
}

let isUpToDate = true;
for (const dialect of ['sqlite', 'postgres'] as const) {
  const file = join(FOLDER, `0001-tables.${dialect}.ts`);
  const wanted = toFile(dialect);
  if (!process.argv.includes('--check')) await writeFile(file, wanted);
  else if ((await readFile(file, 'utf8')) !== wanted) {
    isUpToDate = false;
    console.error(`${file} is not as the tables say; run: npm run schema`);
  }
}
if (!isUpToDate) process.exitCode = 1;

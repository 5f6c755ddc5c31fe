/**
 * Writes the first migration of each dialect from the tables, until its release. `--check` only says whether it is up
 * to date and whether all released ones are unchanged. `--release` marks the present ones as released. `--print TABLE`
 * shows the statements that create a table.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { TABLES } from '../packages/server/src/storage/sql/tables.ts';
import { type Digests, digestsOf, findProblems, toWrite } from './schema/released.ts';
import { toSql, wholeSchema } from './schema/to-sql.ts';

const FOLDER = join(import.meta.dirname, '../packages/server/src/storage/migrations');
const DIALECTS = ['sqlite', 'postgres'] as const;
const RELEASED = join(import.meta.dirname, 'schema/released.json');

const released = JSON.parse(readFileSync(RELEASED, 'utf8')) as Digests;
const files = Object.fromEntries(
  globSync('[0-9]*.ts', { cwd: FOLDER })
    .toSorted()
    .map((name) => [name, readFileSync(join(FOLDER, name), 'utf8')]),
);
const fromTables = Object.fromEntries(
  DIALECTS.map((dialect) => [
    `0001-tables.${dialect}.ts`,
    `/** Written by \`npm run schema\` from storage/sql/tables.ts. */\nexport const tables = \`\n${wholeSchema(dialect)}\n\`;\n`,
  ]),
);

const [option, table] = process.argv.slice(2);
if (option === '--print') {
  const tables = TABLES.filter(({ name }) => name === table);
  for (const dialect of DIALECTS) console.log(`-- ${dialect}\n${toSql(dialect, tables)}`);
} else if (option === '--release') {
  writeFileSync(RELEASED, `${JSON.stringify(digestsOf(files), null, 2)}\n`);
} else if (option === '--check') {
  const problems = findProblems({ files, released, fromTables });
  for (const problem of problems) console.error(problem);
  if (problems.length > 0) process.exitCode = 1;
} else {
  for (const [name, text] of Object.entries(toWrite({ released, fromTables })))
    writeFileSync(join(FOLDER, name), text);
}

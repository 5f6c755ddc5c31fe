import { readdirSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { digestsOf, findProblems, toWrite } from '../../../../scripts/schema/released.ts';
import { toSql, wholeSchema } from '../../../../scripts/schema/to-sql.ts';
import { inWordsOf, type Sql } from '../../src/storage/migrations/migration.ts';
import { MIGRATIONS } from '../../src/storage/migrations/migrations.ts';
import { integer, text } from '../../src/storage/sql/column.ts';
import { Table } from '../../src/storage/sql/table.ts';
import { migrate } from '../../src/storage/sqlite/migrate.ts';
import { findBreaches } from './migration-rules.ts';
import { schemaOfSqlite } from './schema-of.ts';

const FOLDER = fileURLToPath(new URL('../../src/storage/migrations/', import.meta.url));
const FILES = readdirSync(FOLDER).filter((file) => /^\d/.test(file));
const FIRST = ['0001-tables.postgres.ts', '0001-tables.sqlite.ts'];

describe('migrations', () => {
  it('are named by number and purpose, without a gap', () => {
    const later = FILES.filter((file) => !FIRST.includes(file)).toSorted();
    expect(later.filter((file) => !/^\d{4}-[a-z0-9-]+\.ts$/.test(file))).toEqual([]);
    expect([1, ...later.map((file) => Number(file.slice(0, 4)))]).toEqual(
      MIGRATIONS.map((_, index) => index + 1),
    );
  });

  it('are all in the list that is run, in order', async () => {
    const [first, ...later] = MIGRATIONS;
    for (const [index, file] of FILES.filter((name) => !FIRST.includes(name))
      .toSorted()
      .entries())
      expect(Object.values(await import(`${FOLDER}${file}`))).toEqual([later[index]]);
    const texts = await Promise.all(FIRST.map((file) => import(`${FOLDER}${file}`)));
    const [postgres, sqlite] = texts.map(({ tables }) => tables);
    expect(first).toEqual({ servesFrom: 1, steps: [{ statement: { sqlite, postgres } }] });
  });

  it('create the defined tables on SQLite', () => {
    const [migrated, said] = [new DatabaseSync(':memory:'), new DatabaseSync(':memory:')];
    migrate(migrated, MIGRATIONS);
    said.exec(wholeSchema('sqlite'));
    expect(schemaOfSqlite(migrated)).toEqual(schemaOfSqlite(said));
  });

  it('keep everything that the previous release reads and writes', () => {
    const later = MIGRATIONS.slice(1);
    expect(later.flatMap((migration, index) => findBreaches(migration, index + 2))).toEqual([]);
  });
});

describe('a later migration', () => {
  it.each<[string, string, RegExp]>([
    ['drops a column', 'alter table agents drop column framework', /one release later/],
    ['renames a column', 'alter table agents rename column framework to runs_on', /one release later/],
    ['changes the type of a column', 'alter table agents alter column name type jsonb', /one release later/],
    ['drops an index', 'drop index agents_by_name', /one release later/],
    [
      'requires a value that older code does not write',
      'alter table agents add column team {text} not null',
      /default/,
    ],
    [
      'reads every row under its lock',
      "alter table agents add column team {text} check (team <> '')",
      /"not valid"/,
    ],
    [
      'checks every row under its lock',
      "alter table agents add constraint agents_team_check check (team <> '')",
      /"not valid"/,
    ],
    ['writes every row at once', "update agents set team = 'none'", /fill/],
    ['builds an index in place', 'create unique index agents_by_team on agents (team)', /index step/],
  ])('is reported if it %s', (_what, statement, sentence) => {
    const [breach, ...more] = findBreaches({ servesFrom: 1, steps: [{ statement }] }, 2);
    expect([breach, more]).toEqual([expect.stringMatching(sentence), []]);
  });

  it('may add things, and may remove what no serving release reads', () => {
    const adds = [
      'create table teams (id {text} primary key, name {text} not null) {strict}; create index teams_by_name on teams (name)',
      "alter table agents add column team {text} not null default 'none', add column since {text}",
      { postgres: "alter table agents add constraint agents_team_check check (team <> '') not valid" },
      { postgres: 'alter table agents validate constraint agents_team_check' },
    ].map((statement: Sql) => ({ statement }));
    const more = [
      { index: 'agents_by_team', on: 'agents (team)' },
      { fill: 'agents', by: 'id', set: 'since = created_at', where: 'since is null' },
    ];
    expect(findBreaches({ servesFrom: 1, steps: [...adds, ...more] }, 2)).toEqual([]);
    const takes = [{ statement: 'alter table agents drop column team' }];
    expect(findBreaches({ servesFrom: 3, steps: takes }, 4)).toHaveLength(1);
    expect(findBreaches({ servesFrom: 4, steps: takes }, 4)).toEqual([]);
    expect(findBreaches({ servesFrom: 5, steps: takes }, 4)).not.toEqual([]);
  });

  it('has placeholders for what databases name differently', () => {
    const made = 'create table t (a {text}, b {integer}) {strict}';
    expect(inWordsOf('sqlite', made)).toBe('create table t (a text, b integer) strict');
    expect(inWordsOf('postgres', made)).toBe('create table t (a text collate "C", b bigint) ');
    expect(inWordsOf('postgres', "select '{}', '{other}'")).toBe("select '{}', '{other}'");
    expect(inWordsOf('sqlite', { postgres: 'analyze' })).toBe('');
  });

  it('gives a table the schema of its definition, wherever the new column is', () => {
    const before = { id: text().primary(), name: text() };
    const after = { id: text().primary(), size: integer().defaultsTo(7), name: text() };
    const tableOf = (columns: typeof before | typeof after) => {
      const database = new DatabaseSync(':memory:');
      database.exec(toSql('sqlite', [new Table('boxes', columns, {})]));
      return database;
    };
    const changed = tableOf(before);
    changed.exec(inWordsOf('sqlite', 'alter table boxes add column size {integer} not null default 7'));
    expect(schemaOfSqlite(changed)).toEqual(schemaOfSqlite(tableOf(after)));
    changed.exec('alter table boxes add column later text');
    expect(schemaOfSqlite(changed)).not.toEqual(schemaOfSqlite(tableOf(after)));
  });
});

describe('migration files', () => {
  const fromTables = { '0001-tables.sqlite.ts': 'new', '0001-tables.postgres.ts': 'new' };
  const old = { '0001-tables.sqlite.ts': 'old', '0001-tables.postgres.ts': 'old' };
  const rewrite = expect.stringContaining('Run: npm run schema');
  const putBack = expect.stringContaining('was released');

  it('are generated from the tables until they are released', () => {
    expect(toWrite({ released: {}, fromTables })).toEqual(fromTables);
    expect(findProblems({ files: old, released: {}, fromTables })).toEqual([rewrite, rewrite]);
    expect(findProblems({ files: fromTables, released: {}, fromTables })).toEqual([]);
  });

  it('are never changed or removed once released, whatever the tables define', () => {
    const files = { ...old, '0002-teams.ts': 'teams' };
    const released = digestsOf(files);
    expect(toWrite({ released, fromTables })).toEqual({});
    expect(findProblems({ files: { ...files, '0003-more.ts': 'more' }, released, fromTables })).toEqual([]);
    expect(findProblems({ files: old, released, fromTables })).toEqual([putBack]);
    expect(findProblems({ files: { ...files, '0002-teams.ts': 'other' }, released, fromTables })).toEqual([
      putBack,
    ]);
    expect(findProblems({ files: { ...files, ...fromTables }, released, fromTables })).toEqual([
      putBack,
      putBack,
    ]);
  });
});

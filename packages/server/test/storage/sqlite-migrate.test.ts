import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import type { Migration } from '../../src/storage/migrations/migration.ts';
import { MIGRATIONS } from '../../src/storage/migrations/migrations.ts';
import { migrate, readSchema } from '../../src/storage/sqlite/migrate.ts';

const FIRST: Migration = {
  servesFrom: 1,
  steps: [{ statement: 'create table boxes (id {text} primary key, name {text}) {strict}' }],
};
const SECOND: Migration = {
  servesFrom: 1,
  steps: [
    { statement: 'alter table boxes add column size {integer}' },
    { statement: { postgres: 'not for this one' } },
    { index: 'boxes_by_size', on: 'boxes (size) where size > 0' },
    { fill: 'boxes', by: 'id', set: 'size = 1', where: 'size is null' },
  ],
};

function aDatabase(...migrations: Migration[]): DatabaseSync {
  const database = new DatabaseSync(':memory:');
  migrate(database, migrations);
  return database;
}

it('a file runs only the steps that are for SQLite', () => {
  const database = aDatabase(FIRST);
  database.exec("insert into boxes (id) values ('a'), ('b')");
  migrate(database, [FIRST, SECOND]);
  expect(readSchema(database)).toEqual({ version: 2, servesFrom: 1, stepsDone: 0 });
  expect(
    database.prepare('select id, size from boxes indexed by boxes_by_size where size > 0').all(),
  ).toEqual([
    { id: 'a', size: 1 },
    { id: 'b', size: 1 },
  ]);
});

it('a migration with a failing step leaves nothing behind', () => {
  const database = aDatabase(FIRST);
  const broken = { ...SECOND, steps: [...SECOND.steps, { statement: 'select no_such_column' }] };
  expect(() => migrate(database, [FIRST, broken])).toThrow('no_such_column');
  expect(readSchema(database)).toEqual({ version: 1, servesFrom: 1, stepsDone: 0 });
  expect(() => database.prepare('select size from boxes')).toThrow('no such column');
});

it('the previous release opens a file with only additions, and refuses others', () => {
  const database = aDatabase(FIRST, SECOND);
  migrate(database, [FIRST]);
  expect(readSchema(database).version).toBe(2);
  migrate(database, [FIRST, SECOND, { servesFrom: 2, steps: [{ statement: 'drop index boxes_by_size' }] }]);
  migrate(database, [FIRST, SECOND]);
  expect(() => migrate(database, [FIRST])).toThrow(
    'has schema version 3, but this Permitry knows 1: it was written by a newer release',
  );
});

it('an empty file gets all migrations of this release', () => {
  expect(readSchema(aDatabase(...MIGRATIONS)).version).toBe(MIGRATIONS.length);
});

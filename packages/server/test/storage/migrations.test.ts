import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { postgresMigrations } from '../../src/storage/migrations/postgres.ts';
import { sqliteMigrations } from '../../src/storage/migrations/sqlite.ts';

const folder = fileURLToPath(new URL('../../src/storage/migrations/', import.meta.url));

/** Every dialect has a migration of every number. */
const DIALECTS = ['sqlite', 'postgres'];

const files = readdirSync(folder)
  .map((file) => ({ file, parts: /^(\d{4})-([a-z0-9-]+)\.([a-z]+)\.ts$/.exec(file) }))
  .filter(({ file }) => !DIALECTS.some((dialect) => file === `${dialect}.ts`));

describe('migrations', () => {
  it('are named by number, purpose and dialect', () => {
    expect(files.filter(({ parts }) => parts === null)).toEqual([]);
  });

  it.each(DIALECTS)('of %s are numbered from 1 without a gap, under the same names', (dialect) => {
    const numbers = files
      .filter(({ parts }) => parts?.[3] === dialect)
      .map(({ parts }) => Number(parts?.[1]));
    expect(numbers.toSorted((a, b) => a - b)).toEqual(numbers.map((_, index) => index + 1));
    const names = new Set(files.map(({ parts }) => `${parts?.[1]}-${parts?.[2]}`));
    expect(numbers).toHaveLength(names.size);
  });

  it.each([
    ['sqlite', sqliteMigrations],
    ['postgres', postgresMigrations],
  ])('of %s are all run, in order', async (dialect, migrations) => {
    const inOrder: unknown[] = [];
    for (const { file } of files.toSorted((a, b) => a.file.localeCompare(b.file))) {
      if (file.endsWith(`.${dialect}.ts`)) inOrder.push(...Object.values(await import(`${folder}${file}`)));
    }
    expect(migrations).toEqual(inOrder);
  });
});

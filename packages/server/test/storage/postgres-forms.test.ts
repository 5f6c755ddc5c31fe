/** Every statement in both forms, alone and combined for many rows. PostgreSQL must accept both. */
import { expect, it } from 'vitest';
import { type Sendable, Statement } from '../../src/storage/postgres/statements/statements.ts';
import { preparedQueries } from '../../src/storage/sql/prepared-query.ts';
import { withClient } from '../fixtures/postgres/create-template.ts';
import { openTestDatabase } from '../fixtures/postgres/open-test-database.ts';
import '../../src/storage/postgres/stores/stores.ts';

const INTEGERS = new Set(['bigint', 'integer', 'smallint']);
/** The value of each parameter is the parameter's name. */
const NAMES = new Proxy({}, { get: (_, name) => name });

it('PostgreSQL accepts every statement, alone and combined for many', async () => {
  const database = await openTestDatabase();
  const refused: string[] = [];
  let many = 0;
  await withClient(database.url, async (client) => {
    const typesOf = async ({ name, text }: Sendable): Promise<string[]> => {
      await client
        .query(`prepare ${name} as ${text}`)
        .catch((error: Error) => refused.push(`${error.message}: ${text}`));
      const { rows } = await client.query<{ types: string[] }>(
        'select parameter_types::text[] as types from pg_prepared_statements where name = $1',
        [name],
      );
      return rows[0]?.types ?? [];
    };
    for (const query of preparedQueries) {
      const statement = new Statement(query);
      const one = statement.one(NAMES);
      const types = await typesOf(one);
      const params: Record<string, string | number> = {};
      for (const [place, name] of one.values.entries()) {
        // PostgreSQL treats a parameter beside nothing but another parameter as text.
        if (params[String(name)] !== 1) params[String(name)] = INTEGERS.has(types[place] ?? '') ? 1 : '';
      }
      if (!query.facts.many && !/^(with|select)\b/.test(one.text)) continue;
      if (!statement.hasMany) continue;
      many += 1;
      await typesOf(statement.many([params]));
    }
  });
  await database.drop();
  expect(refused).toEqual([]);
  expect(many).toBeGreaterThan(200);
});

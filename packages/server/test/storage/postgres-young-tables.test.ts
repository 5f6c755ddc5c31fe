import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPostgresStorage } from '../../src/storage/postgres/open-postgres-storage.ts';
import { withClient } from '../fixtures/postgres/create-template.ts';
import { openTestDatabase, type TestDatabase } from '../fixtures/postgres/open-test-database.ts';
import { PATIENCE } from '../fixtures/postgres/patience.ts';
import { anIntent, aProject } from './conformance/samples.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await openTestDatabase();
});
afterAll(() => database.drop());

test('the tables of a new installation are analysed as they grow, although autovacuum does not run', async () => {
  const storage = await openPostgresStorage({ url: database.url, ...PATIENCE, analyseEveryMs: 20 });
  await storage.transaction((tx) => tx.insertProject(aProject()));
  const insert = async (count: number, name: string) => {
    for (let n = 0; n < count; n += 1) {
      await storage.transaction((tx) => tx.insertIntent(anIntent(`int_${name}${n}`)), { guarded: true });
    }
  };
  await insert(60, 'a');
  await untilKnown(60);
  await insert(70, 'b');
  await untilKnown(130);
  await storage.close();
});

/** The planner knows about this many intents. */
async function untilKnown(count: number): Promise<void> {
  await withClient(database.url, async (client) => {
    let known = 0;
    while (known < count) {
      const { rows } = await client.query(
        `select reltuples::bigint as known from pg_class where relname = 'intents'`,
      );
      known = Number(rows[0]?.known);
    }
    expect(known).toBe(count);
  });
}

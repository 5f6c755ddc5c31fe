/** A lock that lasts longer than the timeout is reported as unavailable. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPostgresStorage } from '../../src/storage/postgres/open-postgres-storage.ts';
import type { OpenStorage } from '../../src/storage/storage.ts';
import { withClient } from '../fixtures/postgres/create-template.ts';
import { openTestDatabase, type TestDatabase } from '../fixtures/postgres/open-test-database.ts';

let database: TestDatabase;
let storage: OpenStorage;

beforeAll(async () => {
  database = await openTestDatabase();
  storage = await openPostgresStorage({ url: database.url, session: { lockTimeoutMs: 50 } });
});

afterAll(async () => {
  await storage.close();
  await database.drop();
});

test.each([{ guarded: false }, { guarded: true }])(
  'a query in a transaction (%o) fails as unavailable when it waits too long for a lock',
  async (how) => {
    const ask = () => storage.transaction((tx) => tx.isAtRevision('prj_none', 1), how);
    await withClient(database.url, async (client) => {
      await client.query('begin; lock table projects in access exclusive mode');
      await expect(ask()).rejects.toMatchObject({ code: 'service_unavailable' });
    });
    expect(await ask()).toBe(false);
  },
);

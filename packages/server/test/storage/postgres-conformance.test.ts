import { afterAll } from 'vitest';
import { openPostgresStorage } from '../../src/storage/postgres/open-postgres-storage.ts';
import { openTestDatabase, type TestDatabase } from '../fixtures/postgres/open-test-database.ts';
import { PATIENCE } from '../fixtures/postgres/patience.ts';
import { describeStorage } from './conformance/conformance.ts';

let database: TestDatabase | undefined;
afterAll(() => database?.drop());

describeStorage('PostgreSQL', async () => {
  if (database) await database.clear();
  else database = await openTestDatabase();
  // Two hundred transactions on the same row take long when other tests run in parallel.
  return openPostgresStorage({ url: database.url, ...PATIENCE });
});

import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { MIGRATIONS } from '../../src/storage/migrations/migrations.ts';
import type { Reader } from '../../src/storage/nouns.ts';
import { SqlStore } from '../../src/storage/queries/stores.ts';
import { SqliteConnection } from '../../src/storage/sqlite/connection.ts';
import { migrate } from '../../src/storage/sqlite/migrate.ts';

/** A value that a caller could pass if the compiler did not check it. */
const MISSING = undefined as unknown as string;
const PAGE = { limit: 10 };
const DELIVERIES = { projectId: 'prj_1', webhookId: 'whk_1', ...PAGE };

const LISTS: Readonly<Record<string, (read: Reader) => Promise<unknown>>> = {
  agents: (read) => read.listAgents(MISSING, PAGE),
  events: (read) => read.listSealedEvents({ projectId: MISSING, order: 'desc', ...PAGE }),
  intents: (read) => read.listIntents({ projectIds: [MISSING], ...PAGE }),
  keys: (read) => read.listKeys(MISSING, PAGE),
  'mock records': (read) => read.listMockRecords(MISSING, 'mail', PAGE),
  'past intents': (read) => read.listPastIntents(MISSING, { after: null, length: 10 }),
  'policy versions': (read) => read.listPolicyVersions(MISSING, PAGE),
  'deliveries of a project': (read) => read.listDeliveries({ ...DELIVERIES, projectId: MISSING }),
  'deliveries of a webhook': (read) => read.listDeliveries({ ...DELIVERIES, webhookId: MISSING }),
  'tokens of a person': (read) => read.listUserTokens(MISSING, PAGE),
  'number of past intents': (read) => read.countPastIntents(MISSING),
};

it.each(Object.keys(LISTS))('a list fails instead of growing when its owner is missing: %s', async (name) => {
  const database = new DatabaseSync(':memory:');
  migrate(database, MIGRATIONS);
  const read: Reader = new SqlStore(new SqliteConnection(database));
  await expect(LISTS[name]?.(read)).rejects.toThrow('the query has no value for a fixed place');
});

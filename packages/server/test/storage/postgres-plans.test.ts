/**
 * The tables are as after a year, with large projects and a small one. Every read and every change uses an index and
 * few pages. That holds for the first execution and for later ones, when the server may have a generic plan.
 */
import { Client } from 'pg';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openPostgresStorage } from '../../src/storage/postgres/open-postgres-storage.ts';
import { withClient } from '../fixtures/postgres/create-template.ts';
import { openTestDatabase, type TestDatabase } from '../fixtures/postgres/open-test-database.ts';
import { askEverything, changeEverything } from './ask-everything.ts';
import { seedLargeStore } from './seed-large-store.ts';

/** Pages of 8 KiB. A walk through all intents of the store reads about ten thousand. */
const MOST_PAGES = 600;

/** A simulation reads every intent, newest first, and a small project's are far apart. */
const READS_ALL = /select "seq", "id", "action", .* where "project_id" = \$1 /;

interface Asked {
  text: string;
  values: readonly unknown[];
}

let database: TestDatabase;
let asked: Asked[];

beforeAll(async () => {
  database = await openTestDatabase();
  await withClient(database.url, seedLargeStore);
  const storage = await openPostgresStorage({ url: database.url });
  const query = vi.spyOn(Client.prototype, 'query');
  await askEverything(storage.read);
  // This read happens only after a promotion, which no test file covers.
  await storage.read.listLatestEventIds('prj_1', 10);
  await storage.transaction(changeEverything, { guarded: true });
  const found = new Map<string, Asked>();
  for (const [sent] of query.mock.calls as unknown[][]) {
    if (isAsked(sent)) found.set(sent.text, sent);
  }
  query.mockRestore();
  await storage.close();
  asked = [...found.values()];
});
afterAll(() => database.drop());

function isAsked(sent: unknown): sent is Asked {
  return (
    typeof sent === 'object' &&
    sent !== null &&
    'text' in sent &&
    'values' in sent &&
    /^(select|with|insert|update|delete) /.test(String(sent.text))
  );
}

interface PlanNode {
  'Node Type': string;
  'Relation Name'?: string;
  'Shared Hit Blocks': number;
  'Shared Read Blocks': number;
  'Actual Rows': number;
  Plans?: PlanNode[];
}

function* nodesOf(node: PlanNode): Generator<PlanNode> {
  yield node;
  for (const inner of node.Plans ?? []) yield* nodesOf(inner);
}

/** Why a plan is unacceptable: it walks a table from end to end, or reads too much. */
function complaintsAbout(plan: PlanNode, large: ReadonlySet<string>): string[] {
  const walked = [...nodesOf(plan)]
    .filter((node) => node['Node Type'].includes('Seq Scan') && large.has(node['Relation Name'] ?? ''))
    .map((node) => `${node['Node Type']} of ${node['Relation Name']}`);
  const pages = plan['Shared Hit Blocks'] + plan['Shared Read Blocks'];
  return pages > MOST_PAGES ? [...walked, `${pages} pages`] : walked;
}

function toLiteral(value: unknown): string {
  if (value === null || value === undefined) return 'null';
  if (!Array.isArray(value)) return quoted(String(value));
  const items = value.map((item) =>
    item === null ? 'NULL' : `"${String(item).replaceAll(/["\\]/g, '\\$&')}"`,
  );
  return quoted(`{${items.join(',')}}`);
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}

/** Explains the last of this many executions. */
async function explain(client: Client, { text, values }: Asked, times: number): Promise<PlanNode> {
  await client.query(`begin; prepare asked as ${text}`);
  try {
    const given = values.length > 0 ? `(${values.map(toLiteral).join(', ')})` : '';
    let plan: PlanNode | undefined;
    for (let time = 0; time < times; time += 1) {
      const { rows } = await client.query<{ 'QUERY PLAN': { Plan: PlanNode }[] }>(
        `explain (analyze, buffers, format json) execute asked${given}`,
      );
      plan = rows[0]?.['QUERY PLAN'][0]?.Plan;
    }
    if (!plan) throw new Error(`no plan for ${text}`);
    return plan;
  } finally {
    await client.query('rollback; deallocate asked');
  }
}

// After five executions the server may keep a generic plan if it estimates no higher cost.
describe.each([1, 7])('execution %i of every statement', (times) => {
  it('uses an index and reads few pages', async () => {
    expect(asked.length).toBeGreaterThan(100);
    const slow = await withClient(database.url, async (client) => {
      const { rows } = await client.query<{ name: string }>(
        'select relname as name from pg_class where relkind = $1 and reltuples >= 1000',
        ['r'],
      );
      const large = new Set(rows.map(({ name }) => name));
      expect(large).toContain('intents');
      expect(large).toContain('events');
      const found: { sql: string; complaints: string[] }[] = [];
      for (const one of asked.filter(({ text }) => !READS_ALL.test(text))) {
        const complaints = complaintsAbout(await explain(client, one, times), large);
        if (complaints.length > 0) found.push({ sql: one.text, complaints });
      }
      return found;
    });
    expect(slow).toEqual([]);
  });
});

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, vi } from 'vitest';
import { openDatabase } from '../../src/storage/sqlite/open-database.ts';
import { createSqliteStorage } from '../../src/storage/sqlite/open-sqlite-storage.ts';
import { askEverything } from './ask-everything.ts';

it('every query walks an index, and none sorts', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'permitry-plans-'));
  const connections = openDatabase(directory);
  const storage = createSqliteStorage(connections);
  const prepare = vi.spyOn(connections.writer, 'prepare');
  await askEverything(storage.read);
  const queries = prepare.mock.calls.map(([sql]) => sql);
  prepare.mockRestore();

  expect(queries.length).toBeGreaterThan(25);
  const slow = queries.flatMap((sql) => {
    const plan = connections.writer.prepare(`explain query plan ${sql}`).all();
    const steps = plan.map((step) => String(step.detail));
    // A walk along a whole index is right when the index contains only wanted rows, here the pending ones. Projects are
    // few. A simulation reads every intent, along the table itself.
    const bad = steps.filter((step) =>
      /TEMP B-TREE|^SCAN (?!intents USING COVERING INDEX intents_by_expiry|projects USING COVERING INDEX|intents$)/.test(
        step,
      ),
    );
    return bad.length > 0 ? [{ sql, steps }] : [];
  });
  expect(slow).toEqual([]);

  await storage.close();
  rmSync(directory, { recursive: true, force: true });
});

it('a status list is made only from the receipts of its range, however many intents an inactive agent has created', async () => {
  const walks = await walksOf('intents', async (read) => {
    await read.hasReceipts(0, 10);
    await read.listReceiptIndexes(0, 10);
    await read.listRevokedReceipts(0, 10);
    await read.listReceiptsOfInactiveAgents(0, 10);
  });
  expect(walks).toHaveLength(4);
  for (const walk of walks) expect(walk).toMatch(/INDEX intents_(by_receipt|revoked) \(receipt_index>/);
});

it('the events of an intent are found by an index on the intent, not among all events of its project', async () => {
  const walks = await walksOf('events', async (read) => {
    for (const order of ['asc', 'desc'] as const) {
      for (const page of [{}, { afterSeq: 3 }, { throughSeq: 9 }]) {
        await read.listSealedEvents({ projectId: 'prj_1', intentId: 'int_1', order, limit: 10, ...page });
      }
    }
  });
  expect(walks).toHaveLength(6);
  for (const walk of walks)
    expect(walk).toMatch(/^SEARCH events USING INDEX events_by_intent \(intent_key=\?/);
});

/** How SQLite walks the table for each query, one step per plan. */
async function walksOf(
  table: string,
  ask: (read: ReturnType<typeof createSqliteStorage>['read']) => Promise<void>,
): Promise<string[]> {
  const directory = mkdtempSync(join(tmpdir(), 'permitry-plans-'));
  const connections = openDatabase(directory);
  const { read, close } = createSqliteStorage(connections);
  const prepare = vi.spyOn(connections.writer, 'prepare');
  await ask(read);
  const queries = prepare.mock.calls.map(([sql]) => sql);
  prepare.mockRestore();
  const walks = queries.flatMap((sql) =>
    connections.writer
      .prepare(`explain query plan ${sql}`)
      .all()
      .map((step) => String(step.detail))
      .filter((detail) => detail.includes(` ${table} `)),
  );
  await close();
  rmSync(directory, { recursive: true, force: true });
  return walks;
}

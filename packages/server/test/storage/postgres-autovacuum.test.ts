/** The autovacuum settings of the tables that grow forever. */
import { afterEach, expect, it, onTestFinished } from 'vitest';
import { MIGRATIONS } from '../../src/storage/migrations/migrations.ts';
import { migrate } from '../../src/storage/postgres/migrate.ts';
import { withClient } from '../fixtures/postgres/create-template.ts';
import { openTestDatabase } from '../fixtures/postgres/open-test-database.ts';
import { makeRoom } from '../fixtures/postgres/room.ts';
import { startServer, stopServer } from '../fixtures/postgres/start-server.ts';

const rooms: string[] = [];
afterEach(() => {
  for (const room of rooms.splice(0)) stopServer(room);
});

const WRITTEN_ONCE = ['approvals', 'erased_receipts', 'issued', 'seals', 'superseded_permits'];
const ALSO_CHANGED = ['connector_requests', 'events', 'intents'];

it('autovacuum freezes rows of growing tables early, and vacuums unchanged ones after a fixed number of rows', async () => {
  const database = await openTestDatabase();
  onTestFinished(() => database.drop());
  const { rows } = await withClient(database.url, (client) =>
    client.query<{ name: string; options: string[] }>(
      `select relname as name, reloptions as options from pg_class
       where relkind = 'r' and 'autovacuum_freeze_min_age=0' = any (reloptions) order by relname collate "C"`,
    ),
  );
  expect(rows.map(({ name }) => name)).toEqual([...WRITTEN_ONCE, ...ALSO_CHANGED].toSorted());
  for (const { name, options } of rows) {
    expect(options).toContain('autovacuum_analyze_scale_factor=0.01');
    expect(options.includes('autovacuum_vacuum_insert_scale_factor=0')).toBe(WRITTEN_ONCE.includes(name));
  }
  // The setting that existed before.
  expect(rows.find(({ name }) => name === 'events')?.options).toContain(
    'autovacuum_vacuum_scale_factor=0.02',
  );
});

it('autovacuum vacuums and freezes a large table after a hundred thousand more rows', async () => {
  const room = makeRoom();
  rooms.push(room);
  const url = await startServer(room, process.pid, undefined, { autovacuum: 'on', autovacuum_naptime: '1' });
  await withClient(url, async (client) => {
    await migrate(client, MIGRATIONS);
    const insert = (first: number, last: number) =>
      client.query(
        `insert into erased_receipts (receipt_index, kid, jws_hash)
         select n, 'kid', 'hash' from generate_series($1::bigint, $2) n`,
        [first, last],
      );
    // By default, autovacuum would start after a fifth of these rows, and rows would stay unfrozen for fifty million
    // transactions.
    await insert(1, 600_000);
    await client.query('vacuum (freeze, analyze) erased_receipts');
    await insert(600_001, 690_000);
    for (let transaction = 0; transaction < 100; transaction++) await client.query('select txid_current()');
    await insert(690_001, 710_000);
    await expect
      .poll(async () => {
        const { rows } = await client.query(`
          select autovacuum_count > 0 as vacuumed, age(relfrozenxid) < 100 as frozen
          from pg_stat_user_tables join pg_class on pg_class.oid = relid where pg_class.relname = 'erased_receipts'`);
        return rows[0];
      })
      .toEqual({ vacuumed: true, frozen: true });
  });
});

/**
 * `npm run bench:autovacuum`: what autovacuum does for a table that only grows, with the migrations' settings and with
 * PostgreSQL's own. The program writes rows to an idle server in steps, and waits for autovacuum after each step.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from 'pg';
import { MIGRATIONS } from '../packages/server/src/storage/migrations/migrations.ts';
import { migrate } from '../packages/server/src/storage/postgres/migrate.ts';
import { databaseUrl, withClient } from '../packages/server/test/fixtures/postgres/create-template.ts';
import { readFlags } from '../scripts/read-flags.ts';
import { startDatabase } from './postgres/database-server.ts';
import { makeWorkDir } from './store/make-work-dir.ts';
import { DEFAULT_STORE_DIR } from './store/prepare-store.ts';
import { printTable } from './table.ts';

const { values } = readFlags({
  options: {
    rows: { type: 'string', default: '2000000' },
    steps: { type: 'string', default: '8' },
    step: { type: 'string', default: '110000' },
    'store-dir': { type: 'string', default: DEFAULT_STORE_DIR },
    help: { type: 'boolean' },
  },
});
if (values.help) {
  process.stdout.write('npm run bench:autovacuum -- --rows 2000000 --steps 8 --step 110000\n');
  process.exit();
}

/** The table with the fewest columns among those that only grow. */
const TABLE = 'erased_receipts';
const DATABASES = ['postgres_own', 'as_migrated'];
/** Twice autovacuum's sleep, and some time for its work. */
const STEP_MS = 6_000;

async function grow(client: Client): Promise<string[]> {
  await client.query('create extension if not exists pg_visibility');
  let last = 0;
  const insert = async (count: number) => {
    await client.query(
      `insert into ${TABLE} select n, repeat('k', 43), repeat('h', 71) from generate_series($1::bigint, $2) n`,
      [last + 1, last + count],
    );
    last += count;
  };
  await insert(Number(values.rows));
  await client.query(`vacuum (freeze, analyze) ${TABLE}`);
  for (let step = 0; step < Number(values.steps); step += 1) {
    await insert(Number(values.step));
    await pause(STEP_MS);
  }
  const { rows } = await client.query<Record<string, unknown>>(
    `
    select n_tup_ins - $1::bigint as inserted, autovacuum_count as vacuums, autoanalyze_count as analyses,
      pg_relation_size(relid) / 8192 as pages, all_visible, all_frozen
    from pg_stat_user_tables, pg_visibility_map_summary(relid) where relname = '${TABLE}'`,
    [values.rows],
  );
  const [row = {}] = rows;
  const pages = Number(row.pages);
  const left = (share: unknown) => String(pages - Number(share));
  return [
    ...[row.inserted, row.vacuums, row.analyses, row.pages].map(String),
    left(row.all_visible),
    left(row.all_frozen),
  ];
}

const work = makeWorkDir(values['store-dir'], 'autovacuum-');
const server = await startDatabase(join(work, 'server'));
try {
  await withClient(server.url, async (client) => {
    await client.query(`alter system set autovacuum_naptime = '1s'`);
    await client.query('select pg_reload_conf()');
    for (const name of DATABASES) await client.query(`create database ${name}`);
  });
  const rows: string[][] = [];
  for (const name of DATABASES) {
    await withClient(databaseUrl(server.url, name), async (client) => {
      await migrate(client, MIGRATIONS);
      if (name === 'postgres_own') {
        await client.query(`
          alter table ${TABLE} reset (autovacuum_freeze_min_age, autovacuum_analyze_scale_factor,
            autovacuum_analyze_threshold, autovacuum_vacuum_insert_scale_factor, autovacuum_vacuum_insert_threshold)`);
      }
      rows.push([name, ...(await grow(client))]);
    });
  }
  printTable(
    `${server.version}, ${TABLE} of ${values.rows} rows, ${values.steps} times ${values.step} more`,
    ['', 'inserted', 'vacuums', 'analyses', 'pages', 'not visible', 'not frozen'],
    rows,
  );
} finally {
  server.stop();
  rmSync(work, { recursive: true, force: true });
}
process.exit();

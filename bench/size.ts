/**
 * `npm run bench:size`: the disk space of an intent. A gate handles a number of intents in each database, and the
 * growth of its tables and indexes is divided by that number. On PostgreSQL, it also shows the WAL and what autovacuum
 * did.
 */
import { randomBytes } from 'node:crypto';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setTimeout as pause } from 'node:timers/promises';
import { databaseFile, databaseOf, type GateDatabase, openGate, readConfig } from '@permitry/server';
import { Client } from 'pg';
import { readFlags } from '../scripts/read-flags.ts';
import { startDatabase } from './postgres/database-server.ts';
import { liveThrough } from './store/history.ts';
import { layOut } from './store/lay-out.ts';
import { makeWorkDir } from './store/make-work-dir.ts';
import { DEFAULT_STORE_DIR } from './store/prepare-store.ts';
import { printTable, showProgress } from './table.ts';
import { BASE_URL } from './workload.ts';

const HELP = `Measures the disk space of an intent, on SQLite and PostgreSQL.

  npm run bench:size
  npm run bench:size -- --intents 100000
`;

const { values } = readFlags({
  options: {
    intents: { type: 'string', default: '20000' },
    'store-dir': { type: 'string', default: DEFAULT_STORE_DIR },
    help: { type: 'boolean' },
  },
});
if (values.help) {
  process.stdout.write(HELP);
  process.exit();
}
const intents = Number(values.intents);

/** The interval of automatic sealing. It never passes, so only the program seals. */
const NEVER_MS = 2 ** 30;
const HOUR_MS = 3600 * 1000;
/** Parts smaller than this per intent are not listed. */
const LEAST_BYTES = 1;
/** Twice autovacuum's sleep in this database. */
const AUTOVACUUM_MS = 4_000;

interface Size {
  table: string;
  index: string | null;
  bytes: number;
  rows: number | null;
}

/** Fills an empty gate. Calls `measure` before the first intent and after the last. */
async function fill(
  where: { database: GateDatabase; signingKeys?: ReturnType<typeof readConfig>['signingKeys'] },
  measure: () => Promise<Size[]> | Size[],
): Promise<[before: Size[], after: Size[]]> {
  const end = Date.now();
  let now = end - HOUR_MS;
  const opened = await openGate({
    ...where,
    issuer: BASE_URL,
    clock: { now: () => new Date(now).toISOString() },
    sealDelayMs: NEVER_MS,
    onError: (error) => {
      throw error;
    },
  });
  const layout = await layOut(opened.gate);
  const before = await measure();
  await liveThrough(opened, layout, {
    count: intents,
    moveClock: (share) => {
      now = end - HOUR_MS * (1 - share);
    },
    onProgress: (done) => showProgress(`${done} of ${intents} intents`),
  });
  showProgress('');
  await opened.close();
  return [before, await measure()];
}

function report(title: string, [before, after]: [Size[], Size[]]): void {
  const growth = after
    .map((size) => {
      const was = before.find((one) => one.table === size.table && one.index === size.index);
      return {
        ...size,
        bytes: (size.bytes - (was?.bytes ?? 0)) / intents,
        rows: size.rows === null ? null : (size.rows - (was?.rows ?? 0)) / intents,
      };
    })
    .filter(({ bytes }) => bytes >= LEAST_BYTES);
  const total = sum(growth);
  const tables = [...new Set(growth.map(({ table }) => table))]
    .map((table) => growth.filter((size) => size.table === table))
    .sort((a, b) => sum(b) - sum(a));
  printTable(
    title,
    ['an intent', 'rows', 'bytes'],
    [
      ...tables.flatMap((sizes) =>
        sizes
          .sort((a, b) => Number(a.index !== null) - Number(b.index !== null) || b.bytes - a.bytes)
          .map(({ table, index, rows, bytes }) => [
            index === null ? table : `  ${index}`,
            rows === null ? '' : rows.toFixed(2),
            bytes.toFixed(0),
          ]),
      ),
      ['all tables', '', sum(growth.filter(({ index }) => index === null)).toFixed(0)],
      ['all indexes', '', sum(growth.filter(({ index }) => index !== null)).toFixed(0)],
      ['together', '', total.toFixed(0)],
    ],
  );
}

function sum(sizes: readonly { bytes: number }[]): number {
  return sizes.reduce((total, { bytes }) => total + bytes, 0);
}

function measureSqlite(directory: string): Size[] {
  const database = new DatabaseSync(databaseFile(directory), { readOnly: true });
  const sizes = database
    .prepare(
      `select tbl_name as "table", iif(type = 'index', dbstat.name, null) as "index", sum(pgsize) as bytes
       from dbstat join sqlite_schema on sqlite_schema.name = dbstat.name group by dbstat.name`,
    )
    .all()
    .map(({ table, index, bytes }) => ({
      table: String(table),
      index: index === null ? null : String(index),
      bytes: Number(bytes),
      rows:
        index === null
          ? Number(database.prepare(`select count(*) as count from "${table}"`).get()?.count)
          : null,
    }));
  database.close();
  return sizes;
}

async function measurePostgres(client: Client): Promise<Size[]> {
  const { rows } = await client.query<{ table: string; index: string | null; bytes: string }>(`
    select relname as "table", null as "index", pg_table_size(oid) as bytes
    from pg_class where relkind = 'r' and relnamespace = 'public'::regnamespace
    union all
    select tables.relname, indexes.relname, pg_relation_size(indexes.oid)
    from pg_index join pg_class tables on tables.oid = indrelid join pg_class indexes on indexes.oid = indexrelid
    where tables.relnamespace = 'public'::regnamespace`);
  const sizes: Size[] = [];
  for (const { table, index, bytes } of rows) {
    const counted = index === null ? await client.query(`select count(*) from "${table}"`) : null;
    sizes.push({ table, index, bytes: Number(bytes), rows: counted && Number(counted.rows[0]?.count) });
  }
  return sizes;
}

async function reportPostgres(directory: string): Promise<void> {
  const server = await startDatabase(join(directory, 'server'));
  const client = new Client(server.url);
  await client.connect();
  try {
    await client.query(`alter system set autovacuum_naptime = '2s'`);
    await client.query('select pg_reload_conf()');
    const config = readConfig(process.env, {
      PERMITRY_DATABASE_URL: server.url,
      PERMITRY_KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
      PERMITRY_BASE_URL: BASE_URL,
    });
    const lsn = async () => (await client.query('select pg_current_wal_lsn() as lsn')).rows[0]?.lsn;
    let from: string | undefined;
    const sizes = await fill({ database: databaseOf(config), signingKeys: config.signingKeys }, async () => {
      const measured = await measurePostgres(client);
      from ??= await lsn();
      return measured;
    });
    const { rows } = await client.query('select pg_wal_lsn_diff($1, $2) as bytes', [await lsn(), from]);
    report(server.version, sizes);
    console.log(`\n  WAL, an intent: ${Math.round(Number(rows[0]?.bytes) / intents)} bytes`);
    await pause(AUTOVACUUM_MS);
    await reportAutovacuum(client);
  } finally {
    await client.end();
    server.stop();
  }
}

async function reportAutovacuum(client: Client): Promise<void> {
  const { rows } = await client.query<Record<string, string>>(
    `
    select pg_class.relname as "table", n_tup_ins as inserted, n_tup_upd as updated, n_dead_tup as dead,
      autovacuum_count as vacuums, autoanalyze_count as analyses,
      round(100.0 * relallvisible / greatest(relpages, 1)) || ' %' as visible, age(relfrozenxid) as age
    from pg_stat_user_tables join pg_class on pg_class.oid = relid where n_tup_ins >= $1 order by n_tup_ins desc`,
    [intents / 2],
  );
  const columns = ['table', 'inserted', 'updated', 'dead', 'vacuums', 'analyses', 'visible', 'age'];
  printTable(
    'pg_stat_user_tables',
    columns,
    rows.map((row) => columns.map((column) => String(row[column]))),
  );
}

const work = makeWorkDir(values['store-dir'], 'size-');
try {
  const directory = join(work, 'gate');
  report('SQLite', await fill({ database: { directory } }, () => measureSqlite(directory)));
  await reportPostgres(work);
} finally {
  rmSync(work, { recursive: true, force: true });
}
process.exit();

/**
 * Owns the removal of erased texts from PostgreSQL's files. Rewrites every table that may hold texts, then checks that
 * PostgreSQL did so.
 */
import type { Client } from 'pg';
import { GateError } from '../../gate/kernel/errors.ts';
import { serviceUnavailable } from '../refusals.ts';
import type { Servers } from './connections/servers.ts';
import { sqlState } from './postgres-error.ts';

/** Our tables, except the large one that holds only hashes. */
const TABLES = `
  from pg_class
  where relnamespace = current_schema()::regnamespace and relkind = 'r' and relname <> 'seals'
    and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')`;

/** Where ANALYZE stores samples of columns. */
const STATISTICS = 'pg_catalog.pg_statistic';

const LOCK_NOT_AVAILABLE = '55P03';
const POLL_MS = 250;

export interface RewriteOptions {
  /** How long to wait for transactions that still see erased data. */
  patienceMs: number;
  onTable: ((table: string) => void) | undefined;
}

/**
 * Rewrites the tables, small ones first. Locks each table while it is rewritten.
 *
 * @throws GateError `conflict` that says what the operator must do first; `service_unavailable`
 */
export async function rewriteTables(
  servers: Servers,
  { patienceMs, onTable = () => {} }: RewriteOptions,
): Promise<void> {
  const client = await servers.connect().catch((error: unknown) => {
    throw serviceUnavailable(error);
  });
  try {
    await client.query('set statement_timeout = 0');
    await assertMayRewrite(client);
    const { rows } = await client.query<{ name: string }>(
      `select oid::regclass::text as name ${TABLES} order by pg_total_relation_size(oid), relname`,
    );
    const barrier = await passBarrier(client, patienceMs);
    for (const { name } of rows) {
      onTable(name);
      await rewrite(client, name, barrier);
      await dropSamplesOfEmpty(client, name);
    }
    onTable(STATISTICS);
    await rewrite(client, STATISTICS, await passBarrier(client, patienceMs));
  } finally {
    await client.end();
  }
}

/** Checked beforehand, because PostgreSQL only warns a role without the right, and skips the table. */
async function assertMayRewrite(client: Client): Promise<void> {
  const { rows } = await client.query<{ role: string; owners: string; may: number }>(`
    with owners as (
      select relowner as owner ${TABLES}
      union select datdba from pg_database where datname = current_database()
    )
    select current_user as role,
      (select string_agg(format('%I', rolname), ' and ' order by rolname)
        from pg_roles where oid in (select owner from owners)) as owners,
      (select bool_and(pg_has_role(owner, 'usage')) from owners) as may`);
  const [{ role, owners, may } = { role: '', owners: '', may: 0 }] = rows;
  if (may) return;
  throw unfinished(
    `Role ${role} does not own the database and its tables. Run permitry erase --finish with the URL of a role that has the rights of ${owners}, or of a superuser.`,
  );
}

/**
 * Waits for every transaction that may still see an old version of a row, because PostgreSQL would copy that version
 * into the new file. Returns the id that separates the transactions that have ended from those that may continue.
 */
async function passBarrier(client: Client, patienceMs: number): Promise<string> {
  const { rows } = await client.query<{ barrier: string }>(
    'select pg_snapshot_xmax(pg_current_snapshot())::xid::text as barrier',
  );
  const barrier = rows[0]?.barrier ?? '';
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const holders = await listHolders(client, barrier);
    if (holders.length === 0) return barrier;
    if (performance.now() >= deadline) {
      throw unfinished(
        `Still in use by ${holders.join(', ')}: earlier rows are kept for as long. End that, and run permitry erase --finish again.`,
      );
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/**
 * Lists what holds transactions older than the barrier. A writing transaction counts in every database of the cluster,
 * because new snapshots here begin with the oldest writing one.
 */
async function listHolders(client: Client, barrier: string): Promise<string[]> {
  const { rows } = await client.query<{ holder: string }>(
    `select format('process %s (%s)', pid, coalesce(nullif(application_name, ''), backend_type)) as holder
      from pg_stat_activity
      where pid <> pg_backend_pid() and greatest(
        age(backend_xid),
        case when datname = current_database() or backend_type = 'walsender' then age(backend_xmin) end
      ) > age($1::xid)
    union all
    select format('prepared transaction %s', gid) from pg_prepared_xacts
      where age(transaction) > age($1::xid)
    union all
    select format('replication slot %s', slot_name) from pg_replication_slots
      where greatest(age(xmin), age(catalog_xmin)) > age($1::xid)`,
    [barrier],
  );
  return rows.map(({ holder }) => holder);
}

async function rewrite(client: Client, table: string, barrier: string): Promise<void> {
  const before = await findFile(client, table, barrier);
  await locking(client, table, `vacuum (full, analyze) ${table}`);
  const after = await findFile(client, table, barrier);
  if (after.file === before.file) throw unfinished(`PostgreSQL did not rewrite table ${table}.`);
  // A full VACUUM sets `relfrozenxid` to the oldest transaction id whose rows it still kept.
  if (after.keeps) {
    throw unfinished(
      `PostgreSQL kept earlier rows of table ${table} (see vacuum_defer_cleanup_age, standbys with hot_standby_feedback). Run permitry erase --finish again.`,
    );
  }
}

async function findFile(
  client: Client,
  table: string,
  barrier: string,
): Promise<{ file: number; keeps: number }> {
  const { rows } = await client.query<{ file: number; keeps: number }>(
    `select pg_relation_filenode(oid)::bigint as file, age(relfrozenxid) > age($2::xid) as keeps
    from pg_class where oid = $1::regclass`,
    [table, barrier],
  );
  const [found] = rows;
  if (!found) throw new Error(`table ${table} is gone`);
  return found;
}

/** ANALYZE leaves the samples of an empty table unchanged. Setting a column's type again removes them. */
async function dropSamplesOfEmpty(client: Client, table: string): Promise<void> {
  const { rows } = await client.query<{ change: string }>(
    `select format('alter column %I type %s collate %s', pg_attribute.attname, format_type(atttypid, atttypmod), attcollation::regcollation) as change
    from pg_class
    join pg_attribute on attrelid = pg_class.oid
    join pg_stats on schemaname = relnamespace::regnamespace::text and tablename = relname
      and pg_stats.attname = pg_attribute.attname
    where pg_class.oid = $1::regclass and reltuples <= 0 and attcollation <> 0`,
    [table],
  );
  if (rows.length === 0) return;
  await locking(client, table, `alter table ${table} ${rows.map(({ change }) => change).join(', ')}`);
}

async function locking(client: Client, table: string, statement: string): Promise<void> {
  try {
    await client.query(statement);
  } catch (error) {
    const reason =
      sqlState(error) === LOCK_NOT_AVAILABLE
        ? 'is in use and could not be locked. Run permitry erase --finish again in a quieter hour.'
        : `could not be rewritten (${error instanceof Error ? error.message : error}). Run permitry erase --finish again.`;
    throw unfinished(`Table ${table} ${reason}`, error);
  }
}

function unfinished(reason: string, cause?: unknown): GateError<'conflict'> {
  return new GateError(
    'conflict',
    `The files of the database may still hold erased texts. ${reason}`,
    {},
    cause === undefined ? {} : { cause },
  );
}

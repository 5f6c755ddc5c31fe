/**
 * Analyses tables while they grow from nothing. Autovacuum runs once a minute. Until then statements use the plans for
 * empty tables, which read a whole table that is now large.
 */
import type { PostgresConnection } from './connections/connection.ts';
import type { Pool } from './connections/pool.ts';

const LOOK_EVERY_MS = 5000;
/** With more intents than this, plans no longer change, and autovacuum is soon enough. */
const GROWN = 10_000;

/** Tables that we own and may analyse, and that have at least doubled since the last time. */
const STALE = `
  select relid::regclass::text as name
  from pg_stat_user_tables join pg_class on pg_class.oid = relid
  where schemaname = current_schema() and pg_has_role(relowner, 'usage')
    and n_mod_since_analyze > greatest(reltuples, 50)
    and (select reltuples from pg_class where oid = 'intents'::regclass) < ${GROWN}`;

/** Checks every few seconds, until the returned function is called. */
export function analyseYoungTables(pool: Pool, everyMs = LOOK_EVERY_MS): () => void {
  let isLooking = false;
  const timer = setInterval(async () => {
    if (isLooking) return;
    isLooking = true;
    // Without the database there is nothing to analyse. The next check comes soon.
    await pool.use(analyse).catch(() => {});
    isLooking = false;
  }, everyMs).unref();
  return () => clearInterval(timer);
}

async function analyse(connection: PostgresConnection): Promise<void> {
  const { rows } = await connection.send({ text: STALE });
  // Skips a table that another gate is analysing.
  if (rows.length > 0) {
    await connection.send({ text: `analyze (skip_locked) ${rows.map(({ name }) => name).join(', ')}` });
  }
}

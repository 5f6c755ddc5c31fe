/**
 * Analyses tables while they grow from nothing. Autovacuum comes by once a minute; until then statements run by the plans of
 * empty tables, which read all of a table that is large by now.
 */
import type { PostgresConnection } from './connections/connection.ts';
import type { Pool } from './connections/pool.ts';

const LOOK_EVERY_MS = 5000;
/** From so many intents on plans change no more, and autovacuum is soon enough. */
const GROWN = 10_000;

/** Ours to analyse, and with at least twice the rows of the last time. */
const STALE = `
  select relid::regclass::text as name
  from pg_stat_user_tables join pg_class on pg_class.oid = relid
  where schemaname = current_schema() and pg_has_role(relowner, 'usage')
    and n_mod_since_analyze > greatest(reltuples, 50)
    and (select reltuples from pg_class where oid = 'intents'::regclass) < ${GROWN}`;

/** Looks every few seconds, until what it answers is called. */
export function analyseYoungTables(pool: Pool, everyMs = LOOK_EVERY_MS): () => void {
  let isLooking = false;
  const timer = setInterval(async () => {
    if (isLooking) return;
    isLooking = true;
    // Without the database there is nothing to analyse; the next look comes soon.
    await pool.use(analyse).catch(() => {});
    isLooking = false;
  }, everyMs).unref();
  return () => clearInterval(timer);
}

async function analyse(connection: PostgresConnection): Promise<void> {
  const { rows } = await connection.send({ text: STALE });
  // One that another gate is at is left to it.
  if (rows.length > 0) {
    await connection.send({ text: `analyze (skip_locked) ${rows.map(({ name }) => name).join(', ')}` });
  }
}

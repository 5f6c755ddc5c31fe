/**
 * Which history of writes a server goes on with. A standby that is promoted begins a new timeline, and whatever its
 * old primary writes from then on is lost: nobody may be told that it was done.
 */
import type { Client } from 'pg';
import { sqlState } from '../postgres-error.ts';

export interface History {
  /** Of the database cluster; all copies of it have the same. */
  system: string;
  /** Of the database in it: another one that has its name has another. */
  database: string;
  /** Grows with each promotion. */
  timeline: number;
}

/** Not granted, unknown, or not supported: of servers that speak PostgreSQL's protocol and are something else. */
export const UNTOLD: ReadonlySet<string | undefined> = new Set(['42501', '42883', '0A000']);

// Not pg_control_checkpoint(): it tells of the promotion only with the next checkpoint.
const READ = `
  select
    (select system_identifier::text from pg_control_system()) as system,
    (select oid::text from pg_database where datname = current_database()) as database,
    substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) as timeline`;

/** Of a server that takes writes; null where it does not tell. */
export async function readHistory(client: Client): Promise<History | null> {
  try {
    const { rows } = await client.query<{ system: string; database: string; timeline: string }>(READ);
    const [row] = rows;
    return row ? { ...row, timeline: Number.parseInt(row.timeline, 16) } : null;
  } catch (error) {
    if (UNTOLD.has(sqlState(error))) return null;
    throw error;
  }
}

/**
 * Why a server is not the one to write to, after one that went on with `newest`. Null: it may be, or there was none.
 */
export function problemWith(history: History | null, newest: History | undefined): string | null {
  if (!newest) return null;
  if (!history) return 'this server does not tell which history it goes on with, and one before it did';
  if (history.system !== newest.system) {
    return 'this server holds another database cluster than the one before it; if that is meant, start the gate again';
  }
  if (history.database !== newest.database) {
    return 'this is another database of the same name, as one that is put back is; start the gate again';
  }
  if (history.timeline >= newest.timeline) return null;
  return (
    `this server was left behind: it goes on with timeline ${history.timeline}, and another one was promoted to ` +
    `${newest.timeline}`
  );
}

/** Identifies the database, whatever its address. A copy made by a dump or a template has another identity. */
import type { Client } from 'pg';
import { sqlState } from '../postgres-error.ts';
import { UNTOLD } from './servers.ts';

// All three parts survive a promotion and a point-in-time restore. When a dump is restored into the same database, at
// least the table is new.
const READ = `
  select concat_ws('/',
    (select system_identifier from pg_control_system()),
    (select oid from pg_database where datname = current_database()),
    'installation'::regclass::oid) as identity`;

/** The identity of every database whose server does not reveal it. */
const NONE = 'untold';

export async function readIdentity(client: Client): Promise<string> {
  try {
    const { rows } = await client.query<{ identity: string }>(READ);
    return rows[0]?.identity ?? NONE;
  } catch (error) {
    if (UNTOLD.has(sqlState(error))) return NONE;
    throw error;
  }
}

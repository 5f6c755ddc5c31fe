/** Which database this is, whatever its address: not the same for any copy that was made by a dump or a template. */
import type { Client } from 'pg';
import { sqlState } from '../postgres-error.ts';
import { UNTOLD } from './servers.ts';

// All of them stay through a promotion and a point in time. Of a dump that is put back into the same database the
// tables are new, at least.
const READ = `
  select concat_ws('/',
    (select system_identifier from pg_control_system()),
    (select oid from pg_database where datname = current_database()),
    'installation'::regclass::oid) as identity`;

/** The same word for all servers that do not tell. */
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

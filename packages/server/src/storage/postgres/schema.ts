/** Determines which schema a database has, and updates it to the one that this release needs. */
import type { Client } from 'pg';
import { MIGRATIONS } from '../migrations/migrations.ts';
import { findNewerSchema, OutdatedSchemaError, type SchemaStatus } from '../outdated-schema-error.ts';
import { serviceUnavailable } from '../refusals.ts';
import { Servers } from './connections/servers.ts';
import { migrate, type OnMigrating, readSchema } from './migrate.ts';

export { findNewerSchema };

/** @throws a plain Error for a database that is not Permitry's */
export function readSchemaStatus(url: string): Promise<SchemaStatus> {
  return connected(new Servers(url), statusOf);
}

/**
 * Updates the schema and returns its previous version. If several processes try at once, one does it and the others
 * wait.
 *
 * @throws a plain Error for a database that is not Permitry's, or that only a newer release may use
 */
export function updateSchema(servers: string | Servers, tell?: OnMigrating): Promise<SchemaStatus> {
  return connected(typeof servers === 'string' ? new Servers(servers) : servers, async (client) => {
    const before = await statusOf(client);
    await migrate(client, MIGRATIONS, tell);
    return before;
  });
}

/**
 * @throws OutdatedSchemaError; a plain Error for a database that only a newer release may use, or that is not
 * Permitry's
 */
export function assertSchema(servers: Servers): Promise<void> {
  return connected(servers, async (client) => {
    const status = await statusOf(client);
    if (status.version < status.needed) throw new OutdatedSchemaError(status);
    const newer = findNewerSchema(status);
    if (newer !== undefined) throw new Error(newer);
  });
}

/** @throws a plain Error for a database that is not Permitry's */
export async function statusOf(client: Client): Promise<SchemaStatus> {
  const { version, servesFrom } = await readSchema(client);
  return { version, servesFrom, needed: MIGRATIONS.length };
}

async function connected<T>(servers: Servers, errand: (client: Client) => Promise<T>): Promise<T> {
  const client = await servers.connect().catch((error: unknown) => {
    throw serviceUnavailable(error);
  });
  try {
    // Building an index may take any time.
    await client.query(
      'set statement_timeout = 0; set lock_timeout = 0; set idle_in_transaction_session_timeout = 0',
    );
    return await errand(client);
  } finally {
    await client.end();
  }
}

import type { Client } from 'pg';
import type { Reader } from '../nouns.ts';
import type { SchemaStatus } from '../outdated-schema-error.ts';
import { serviceUnavailable } from '../refusals.ts';
import { readIdentity } from './connections/identity.ts';
import { Pool } from './connections/pool.ts';
import { Servers } from './connections/servers.ts';
import { assertFit } from './migrate.ts';
import { statusOf } from './schema.ts';
import { CoalescedReads } from './statements/coalesced-reads.ts';
import { PostgresReader } from './stores/stores.ts';

const ANSWER_TIMEOUT_MS = 12_000;

/** A database with any schema, read without changing it. */
export interface InspectedDatabase {
  schema: SchemaStatus;
  /** Tables that the role must not read and write. */
  closedTables: readonly string[];
  /** Whether the role may update the schema. */
  mayMigrate: boolean;
  /** How far the server's clock is ahead of this machine's. */
  clockAheadMs: number;
  read: Reader;
  identity(): Promise<string>;
  close(): Promise<void>;
}

/**
 * @throws a plain Error for a database that no gate can use; GateError `service_unavailable` when none of the hosts
 * takes writes
 */
export async function inspectDatabase(url: string): Promise<InspectedDatabase> {
  const servers = new Servers(url);
  const client = await servers.connect().catch((error: unknown) => {
    throw serviceUnavailable(error);
  });
  try {
    await client.query('set default_transaction_read_only = on');
    await assertFit(client);
    const pool = new Pool(servers, 1, ANSWER_TIMEOUT_MS);
    return {
      schema: await statusOf(client),
      ...(await rightsOf(client)),
      clockAheadMs: await clockAheadOf(client),
      read: new PostgresReader(new CoalescedReads(pool)),
      identity: () => readIdentity(client),
      close: async () => {
        await Promise.all([pool.close(), client.end()]);
      },
    };
  } catch (error) {
    await client.end();
    throw error;
  }
}

async function rightsOf(client: Client): Promise<Pick<InspectedDatabase, 'closedTables' | 'mayMigrate'>> {
  const { rows } = await client.query<{ name: string; is_open: number; is_own: number }>(`
    select
      relname as name,
      has_table_privilege(oid, 'select') and has_table_privilege(oid, 'insert')
        and has_table_privilege(oid, 'update') and has_table_privilege(oid, 'delete') as is_open,
      pg_has_role(relowner, 'usage') as is_own
    from pg_class
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
      -- Migrations alone write there.
      and relname <> 'permitry_migrations'
    order by relname`);
  const schema = await client.query<{ may_create: number }>(
    `select has_schema_privilege(current_schema(), 'create') as may_create`,
  );
  return {
    closedTables: rows.filter((row) => !row.is_open).map(({ name }) => name),
    mayMigrate: Boolean(schema.rows[0]?.may_create) && rows.every((row) => row.is_own),
  };
}

async function clockAheadOf(client: Client): Promise<number> {
  const before = Date.now();
  const { rows } = await client.query<{ ms: number }>(
    'select cast(extract(epoch from clock_timestamp()) * 1000 as bigint) as ms',
  );
  // Assumes that the server read its clock halfway through the round trip.
  return (rows[0]?.ms ?? 0) - (before + Date.now()) / 2;
}

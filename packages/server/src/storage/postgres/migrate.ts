import type { ClientBase } from 'pg';
import { findNewerSchema } from '../outdated-schema-error.ts';

/** Whoever migrates holds it; any number that no other program on the server is likely to use. */
const ADVISORY_LOCK = 0x50_52_4d_54;
const OLDEST_SERVER = 14;

/**
 * Brings the schema up to date, each migration in a transaction of its own. Several gates may try at once: one does,
 * the others wait, and find it done. The table `permitry_migrations` holds what was run, and says that the database is
 * ours.
 *
 * @throws a plain Error for a database that is not ours, was written by a newer Permitry, or that cannot hold our text.
 */
export async function migrate(client: ClientBase, migrations: readonly string[]): Promise<void> {
  await assertFit(client);
  // Most starts find nothing to do, and should not queue for that.
  while ((await schemaVersion(client)) < migrations.length) {
    await client.query('begin');
    try {
      await client.query('select pg_advisory_xact_lock($1)', [ADVISORY_LOCK]);
      const version = await schemaVersion(client);
      const next = migrations[version];
      if (next !== undefined) {
        if (version === 0) await client.query(MIGRATIONS_TABLE);
        await client.query(next);
        await client.query('insert into permitry_migrations (version, applied_at) values ($1, now())', [
          version + 1,
        ]);
      }
      await client.query('commit');
    } catch (error) {
      await client.query('rollback');
      throw error;
    }
  }
  const newer = findNewerSchema({ version: await schemaVersion(client), needed: migrations.length });
  if (newer !== undefined) throw new Error(newer);
}

const MIGRATIONS_TABLE = `
create table permitry_migrations (
  version bigint primary key,
  applied_at timestamptz not null
)`;

/** How many migrations were run; 0 for a database that is empty. */
export async function schemaVersion(client: ClientBase): Promise<number> {
  const { rows } = await client.query<{ ours: boolean; used: boolean }>(`
    select
      to_regclass('permitry_migrations') is not null as ours,
      exists (
        select from pg_class
        where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
          and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')
      ) as used`);
  if (rows[0]?.ours) {
    const last = await client.query<{ version: string | number }>(
      'select coalesce(max(version), 0) as version from permitry_migrations',
    );
    return Number(last.rows[0]?.version);
  }
  if (!rows[0]?.used) return 0;
  throw new Error(
    'The database holds tables of something else than Permitry; nothing was changed. Give Permitry a database of its own.',
  );
}

/** @throws a plain Error for a server or a database that no gate can use */
export async function assertFit(client: ClientBase): Promise<void> {
  const { rows } = await client.query<{ version: string; encoding: string; schema: string | null }>(`
    select
      current_setting('server_version_num') as version,
      current_setting('server_encoding') as encoding,
      current_schema() as schema`);
  const [server] = rows;
  if (!server || Math.floor(Number(server.version) / 10_000) < OLDEST_SERVER) {
    throw new Error(`Permitry needs PostgreSQL ${OLDEST_SERVER} or later.`);
  }
  if (server.encoding !== 'UTF8') {
    throw new Error(
      `The database's encoding is ${server.encoding}; Permitry needs one created with encoding 'UTF8'.`,
    );
  }
  if (server.schema === null) {
    throw new Error(
      "The connection's search_path names no schema that exists; create it, or correct the path.",
    );
  }
}

import { setTimeout as pause } from 'node:timers/promises';
import { type ClientBase, DatabaseError } from 'pg';
import { inWordsOf, type Migration, type Step } from '../migrations/migration.ts';
import {
  NOTHING_DONE,
  READ_RECORD,
  RECORD_TABLE,
  recordSteps,
  type SchemaState,
  toState,
} from '../migrations/record.ts';
import { findNewerSchema } from '../outdated-schema-error.ts';

/** Held by the migrating process. A number that no other program on the server is likely to use. */
const ADVISORY_LOCK = 0x50_52_4d_54;
const OLDEST_SERVER = 14;
/** How long others may queue behind a step that waits for its lock. */
const LOCK_TIMEOUT_MS = 1000;
/** Long enough for the queue to clear before the next attempt. */
const PAUSE_MS = 2000;
const LOOK_AGAIN_MS = 250;
const PIECE_ROWS = 1000;
const TOLD_EVERY_ROWS = 100_000;
/** `lock_not_available`, `deadlock_detected`, `serialization_failure` */
const IN_THE_WAY: readonly unknown[] = ['55P03', '40P01', '40001'];

/** Called with a sentence about each slow step. */
export type OnMigrating = (sentence: string) => void;

/**
 * Updates the schema beside gates that serve. Records each finished step, so that another process can resume after an
 * interruption. Several may try at once: one migrates, and the others wait and find it done.
 *
 * @throws a plain Error for a database that is not ours, that only a newer Permitry may use, or that cannot hold our
 * text.
 */
export async function migrate(
  client: ClientBase,
  migrations: readonly Migration[],
  tell: OnMigrating = () => undefined,
): Promise<void> {
  await assertFit(client);
  // Most starts have nothing to do, and should not queue for that.
  if ((await readSchema(client)).version < migrations.length) {
    await takeLock(client, tell);
    try {
      await runSteps(client, migrations, tell);
    } finally {
      // Gone already if the connection is.
      await client.query('select pg_advisory_unlock($1)', [ADVISORY_LOCK]).catch(() => undefined);
    }
  }
  const newer = findNewerSchema({ ...(await readSchema(client)), needed: migrations.length });
  if (newer !== undefined) throw new Error(newer);
}

/** Held by the session, because no transaction may last as long as an index build. */
async function takeLock(client: ClientBase, tell: OnMigrating): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    // Polled, because a concurrent index build would wait for the transaction of a statement that waits here.
    const { rows } = await client.query<{ taken: unknown }>('select pg_try_advisory_lock($1) as taken', [
      ADVISORY_LOCK,
    ]);
    if (rows[0]?.taken) return;
    if (tries === 1) tell('Another process is migrating the schema; waiting.');
    await pause(LOOK_AGAIN_MS);
  }
}

async function runSteps(
  client: ClientBase,
  migrations: readonly Migration[],
  tell: OnMigrating,
): Promise<void> {
  for (;;) {
    const { version, stepsDone } = await readSchema(client);
    const migration = migrations[version];
    const step = migration?.steps[stepsDone];
    if (!migration || !step) return;
    const done = recordSteps(version + 1, migration, stepsDone + 1);
    if ('statement' in step) {
      const first = version === 0 && stepsDone === 0 ? inWordsOf('postgres', RECORD_TABLE) : '';
      await givingWay(client, `${first}${inWordsOf('postgres', step.statement)}; ${done}`, tell);
    } else {
      // `servesFrom` must be recorded before the step takes effect.
      await client.query(recordSteps(version + 1, migration, stepsDone));
      await ('index' in step ? buildIndex(client, step, tell) : fill(client, step, tell));
      await client.query(done);
    }
  }
}

/** In a transaction that is rolled back and retried later, so that others do not queue behind it. */
async function givingWay(client: ClientBase, text: string, tell: OnMigrating): Promise<void> {
  for (let tries = 1; ; tries += 1) {
    try {
      await client.query(`begin; set local lock_timeout = ${LOCK_TIMEOUT_MS}; ${text}; commit`);
      return;
    } catch (error) {
      // Fails if the connection is gone; the first error says why.
      await client.query('rollback').catch(() => undefined);
      if (!(error instanceof DatabaseError && IN_THE_WAY.includes(error.code))) throw error;
      if (tries === 1) tell('A long transaction blocks the migration, which gives way and tries again.');
      await pause(PAUSE_MS);
    }
  }
}

type IndexStep = Extract<Step, { index: string }>;

async function buildIndex(client: ClientBase, { index, on }: IndexStep, tell: OnMigrating): Promise<void> {
  const { rows } = await client.query<{ valid: unknown }>(
    'select indisvalid as valid from pg_index where indexrelid = to_regclass($1)',
    [index],
  );
  if (rows[0]?.valid) return;
  tell(`Building the index ${index}.`);
  // Left by an interrupted build.
  if (rows[0]) await client.query(`drop index concurrently ${index}`);
  await client.query(`create index concurrently ${index} on ${inWordsOf('postgres', on)}`);
}

type FillStep = Extract<Step, { fill: string }>;

async function fill(
  client: ClientBase,
  { fill, by, set, where }: FillStep,
  tell: OnMigrating,
): Promise<void> {
  let after = '';
  for (let rows = PIECE_ROWS; ; rows += PIECE_ROWS) {
    const found = await client.query<{ last: string | null }>(
      `select cast(max(${by}) as text) as last
      from (select ${by} from ${fill} where true ${after} order by ${by} limit ${PIECE_ROWS}) as piece`,
    );
    const last = found.rows[0]?.last ?? null;
    if (last === null) return;
    const key = client.escapeLiteral(last);
    await givingWay(client, `update ${fill} set ${set} where (${where}) ${after} and ${by} <= ${key}`, tell);
    after = `and ${by} > ${key}`;
    if (rows % TOLD_EVERY_ROWS === 0) tell(`Filling ${fill}: ${rows} rows processed.`);
  }
}

/** The migrations done so far; none in an empty database. */
export async function readSchema(client: ClientBase): Promise<SchemaState> {
  const { rows } = await client.query<{ ours: unknown; used: unknown }>(`
    select
      to_regclass('permitry_migrations') is not null as ours,
      exists (
        select from pg_class
        where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
          and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')
      ) as used`);
  if (rows[0]?.ours) return toState((await client.query(READ_RECORD)).rows[0]);
  if (!rows[0]?.used) return NOTHING_DONE;
  throw new Error(
    'The database contains tables that are not Permitry’s; nothing was changed. Give Permitry a database of its own.',
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

/** Two releases on one database: the newer one changes a large table in use, and the older one keeps serving. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Client } from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { wholeSchema } from '../../../scripts/schema/to-sql.ts';
import type { TABLES } from '../../server/src/storage/sql/tables.ts';
import { openTestDatabase } from '../../server/test/fixtures/postgres/open-test-database.ts';
import { schemaOfPostgres } from '../../server/test/storage/schema-of.ts';
import { makeNewerBuild } from './fixtures/newer-build.ts';
import {
  BIN,
  call,
  cleanEnvironment,
  type Finished,
  finished,
  freshDirectory,
  REFUND,
  readCredentials,
} from './fixtures/permitry.ts';

const ROWS = 20_000;

interface Gate {
  child: ChildProcess;
  /** Everything that the process has written. */
  said(): string;
  ended: Promise<Finished>;
  /** Resolves when the gate serves. */
  ready: Promise<{ url: string; credentials_file: string | null }>;
}

function run(bin: string, env: Record<string, string>, ...args: string[]): Gate {
  const child = spawn(process.execPath, [bin, ...args], { env: cleanEnvironment(env) });
  const ended = finished(child);
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: string) => {
      text += chunk;
    });
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const ready = expect
    .poll(() => text)
    .toMatch(/^\{"url".*\n/m)
    .then(() => JSON.parse(/^\{"url".*\n/m.exec(text)?.[0] ?? ''));
  ready.catch(() => undefined);
  return { child, said: () => text, ended, ready };
}

function serve(bin: string, env: Record<string, string>): Gate {
  return run(bin, env, 'serve', '--port', '0', '--json', '--base-url', 'http://gate.example');
}

/** From the request to the use of its permit, at any of the gates. */
async function pass(key: string, ...[asked, approves, used]: [string, string, string]): Promise<string> {
  const made = await call(`${asked}/v1/intents`, key, REFUND);
  expect([made.status, made.body.error]).toEqual([201, undefined]);
  const approved = await call(`${approves}/v1/intents/${made.body.id}/approve`, key, {});
  expect([approved.status, approved.body.status]).toEqual([200, 'approved']);
  const use = { token: approved.body.permit.token, ...REFUND, consume: true };
  expect((await call(`${used}/v1/permits/validate`, key, use)).body).toMatchObject({ valid: true });
  return made.body.id;
}

async function connect(url: string): Promise<Client> {
  const client = new Client(url);
  await client.connect();
  onTestFinished(() => client.end());
  return client;
}

test('the newer build changes a large table while the older one serves, and then both serve', async () => {
  const newer = makeNewerBuild();
  const database = await openTestDatabase({ empty: true });
  onTestFinished(() => database.drop());
  const env = {
    PERMITRY_DATABASE_URL: database.url,
    PERMITRY_KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    PERMITRY_DATA: freshDirectory(),
    PERMITRY_RATE_LIMIT_PER_MINUTE: '0',
  };
  const old = serve(BIN, env);
  const { url: oldUrl, credentials_file: file } = await old.ready;
  const { secret_key: key } = readCredentials(file ?? '');
  const [operator, holder, snapshot] = [
    await connect(database.url),
    await connect(database.url),
    await connect(database.url),
  ];
  const first = await call(`${oldUrl}/v1/intents`, key, REFUND);
  await call(`${oldUrl}/v1/intents/${first.body.id}/deny`, key, {});
  await operator.query(
    `insert into intents select (jsonb_populate_record(intents, jsonb_build_object('seq', 1000000 + n, 'id', 'int_' || n))).*
    from intents, generate_series(1, ${ROWS}) as n`,
  );

  // A command that may not migrate explains what to do, and changes nothing.
  const told = await serve(newer.bin, { ...env, PERMITRY_MIGRATE_AT_START: 'false' }).ended;
  expect(told.code).not.toBe(0);
  expect(told.stderr).toContain('has schema version 1, and this Permitry needs 2; run: permitry migrate');

  let over = false;
  let passes = 0;
  const traffic = (async () => {
    for (; !over; passes += 1) await pass(key, oldUrl, oldUrl, oldUrl);
  })();
  traffic.catch(() => undefined);
  const someArePassed = () => {
    const before = passes;
    return Promise.race([traffic, expect.poll(() => passes).toBeGreaterThan(before + 5)]);
  };

  // The migration adds a column while another client reads the table. It lets other traffic go first.
  await holder.query('begin; select from intents limit 1');
  const cutOff = run(newer.bin, env, 'migrate');
  await expect.poll(cutOff.said).toContain('gives way');
  await someArePassed();
  expect((await operator.query('select max(version) as v from permitry_migrations')).rows).toEqual([
    { v: '1' },
  ]);

  // The migration builds an index and waits for an earlier transaction. No other client waits. Then the process and its
  // session end.
  await snapshot.query('begin isolation level repeatable read; select from agents limit 1');
  await holder.query('commit');
  const index = async () => {
    const { rows } = await operator.query(
      `select cast(indexrelid as int) as oid, indisvalid as valid from pg_index where indexrelid = to_regclass('intents_by_build')`,
    );
    return rows[0] as { oid: number; valid: boolean } | undefined;
  };
  await expect.poll(index).toMatchObject({ valid: false });
  await someArePassed();
  cutOff.child.kill('SIGKILL');
  await cutOff.ended;
  const builders = `from pg_stat_activity where datname = current_database() and query ^@ 'create index'`;
  await operator.query(`select pg_terminate_backend(pid) ${builders}`);
  await expect.poll(async () => (await operator.query(`select pid ${builders}`)).rows).toEqual([]);
  const left = await index();
  expect(left).toMatchObject({ valid: false });

  // After a restart, the migration builds a new index and fills all rows that are not locked.
  const next = serve(newer.bin, env);
  await expect.poll(async () => (await index())?.oid ?? left?.oid).not.toBe(left?.oid);
  await holder.query(`begin; select from intents where id = 'int_${ROWS - 1}' for update`);
  await snapshot.query('commit');
  await expect.poll(next.said).toContain('gives way');
  expect(await index()).toMatchObject({ valid: true });
  const filled = await operator.query(
    `select count(*) from intents where made_by_build = 'older' and id ^@ 'int_'`,
  );
  expect(Number(filled.rows[0]?.count)).toBeGreaterThan(ROWS / 2);
  await someArePassed();
  await holder.query('commit');
  const { url: newUrl } = await next.ready;
  await someArePassed();

  const byOld = await pass(key, oldUrl, newUrl, oldUrl);
  const byNew = await pass(key, newUrl, oldUrl, newUrl);
  over = true;
  await traffic;
  const { rows: made } = await operator.query<{ id: string; by: string | null }>(
    'select id, made_by_build as by from intents where id = any($1)',
    [[`int_${ROWS - 1}`, byOld, byNew]],
  );
  expect(Object.fromEntries(made.map(({ id, by }) => [id, by]))).toEqual({
    [`int_${ROWS - 1}`]: 'older',
    // The older release keeps writing rows without the column. The newer one reads both.
    [byOld]: null,
    [byNew]: 'newer',
  });
  for (const url of [oldUrl, newUrl])
    for (const id of [byOld, byNew])
      expect((await call(`${url}/v1/intents/${id}`, key)).body).toMatchObject({ id, status: 'approved' });

  // The migrations produce exactly the tables that the newer build declares.
  const { TABLES: said } = (await import(newer.tables)) as { TABLES: typeof TABLES };
  const inNoSchema = async () =>
    (await schemaOfPostgres(operator)).map((fact) => fact.replace(/\b(said|public)\./g, '')).toSorted();
  const migrated = await inNoSchema();
  await operator.query(`create schema said; set search_path = said; ${wholeSchema('postgres', said)}`);
  expect(migrated).toEqual(await inNoSchema());
  await operator.query('drop schema said cascade; set search_path = public');

  // The older release serves again, as far as the schema allows.
  for (const gate of [old, next]) {
    gate.child.kill('SIGTERM');
    expect((await gate.ended).code).toBe(0);
  }
  const back = serve(BIN, env);
  const { url: backUrl } = await back.ready;
  await pass(key, backUrl, backUrl, backUrl);
  expect((await run(BIN, env, 'migrate', '--status').ended).code).toBe(0);
  await operator.query('update permitry_migrations set serves_from = 2 where version = 2');
  const refused = await serve(BIN, env).ended;
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain(
    'has schema version 2, but this Permitry knows 1: it was written by a newer release',
  );
});

test('the older build opens a file that the newer build changed, if it may still serve it', async () => {
  const { bin } = makeNewerBuild();
  const data = freshDirectory();
  const env = { PERMITRY_DATA: data };
  expect((await run(BIN, env, 'init', '--mode', 'test').ended).code).toBe(0);
  const changed = await run(bin, env, 'project', 'list', '--json').ended;
  expect(changed.code).toBe(0);
  const database = new DatabaseSync(join(data, 'permitry.sqlite'));
  onTestFinished(() => database.close());
  expect(database.prepare('select max(version) as v from permitry_migrations').get()).toEqual({ v: 2 });
  const gate = serve(BIN, env);
  const { url } = await gate.ready;
  expect((await call(`${url}/healthz`, 'none')).status).toBe(200);
  gate.child.kill('SIGTERM');
  expect((await gate.ended).code).toBe(0);
  database.exec('update permitry_migrations set serves_from = 2 where version = 2');
  const refused = await serve(BIN, env).ended;
  expect(refused.code).not.toBe(0);
  expect(refused.stderr).toContain('has schema version 2, but this Permitry knows 1');
});

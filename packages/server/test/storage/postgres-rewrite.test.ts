/** A rewrite of the tables ends with an error that names what prevents it. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { openPostgresStorage } from '../../src/storage/postgres/open-postgres-storage.ts';
import type { OpenStorage } from '../../src/storage/storage.ts';
import { databaseUrl, withClient } from '../fixtures/postgres/create-template.ts';
import { makeRoom } from '../fixtures/postgres/room.ts';
import { startServer, stopServer } from '../fixtures/postgres/start-server.ts';
import { refusalOf } from '../fixtures/refusal-of.ts';

let room: string;
let url: string;
let storage: OpenStorage;
let rewritten: string[] = [];
beforeAll(async () => {
  room = makeRoom();
  url = await startServer(room, process.pid, undefined, {
    wal_level: 'logical',
    max_prepared_transactions: '2',
  });
  storage = await openPostgresStorage({ url, rewritePatienceMs: 0, session: { lockTimeoutMs: 50 } });
});
beforeEach(() => {
  rewritten = [];
});
afterAll(async () => {
  await storage.close();
  stopServer(room);
});

function rewrite(): Promise<boolean> {
  return storage.forget({ rewrite: true, onTable: (table) => rewritten.push(table) });
}

async function run(statement: string): Promise<void> {
  await withClient(url, (client) => client.query(statement));
}

/** Leaves an old version of a row behind that older transactions can still see. */
const CHANGE = 'create table if not exists changed (at bigint); drop table changed';

it('a rewrite writes every table again except the one of hashes, and the samples of ANALYZE last', async () => {
  expect(await rewrite()).toBe(true);
  expect(rewritten).toEqual(expect.arrayContaining(['intents', 'events', 'idempotency_records', 'users']));
  expect(rewritten).not.toContain('seals');
  expect(rewritten.at(-1)).toBe('pg_catalog.pg_statistic');
});

it.each([
  {
    holder: 'prepared transaction old',
    begin: `begin; insert into counters (name, next) values ('held', 1); prepare transaction 'old'`,
    end: `rollback prepared 'old'`,
  },
  {
    holder: 'replication slot old',
    begin: `select pg_create_logical_replication_slot('old', 'pgoutput')`,
    end: `select pg_drop_replication_slot('old')`,
  },
])('a $holder is named in the error, and prevents any rewrite', async ({ holder, begin, end }) => {
  await run(begin);
  await run(CHANGE);
  const { code, message } = await refusalOf(rewrite());
  expect(code).toBe('conflict');
  expect(message).toContain(holder);
  expect(rewritten).toEqual([]);
  await run(end);
  expect(await rewrite()).toBe(true);
});

it('a transaction that writes in another database is named in the error as well', async () => {
  await run('create database other');
  await withClient(databaseUrl(url, 'other'), async (client) => {
    await client.query(`set application_name = 'import'`);
    await client.query('begin; create table long (id bigint)');
    await run(CHANGE);
    const { code, message } = await refusalOf(rewrite());
    expect(code).toBe('conflict');
    expect(message).toContain('(import)');
    expect(rewritten).toEqual([]);
    await client.query('rollback');
  });
  expect(await rewrite()).toBe(true);
});

it('old rows that PostgreSQL kept for another reason are found after the rewrite', async ({ skip }) => {
  const holdsBack = 'vacuum_defer_cleanup_age';
  const { rowCount } = await withClient(url, (client) =>
    client.query('select from pg_settings where name = $1', [holdsBack]),
  );
  // PostgreSQL 16 and later do not have this setting.
  if (rowCount === 0) skip();
  await run(`alter system set ${holdsBack} = 1000000`);
  await run('select pg_reload_conf()');
  await expect
    .poll(() => refusalOf(rewrite()).then(({ message }) => message))
    .toContain('kept earlier rows of table');
  await run(`alter system reset ${holdsBack}`);
  await run('select pg_reload_conf()');
  await expect.poll(() => rewrite().catch(() => false)).toBe(true);
});

it('a table in use is named in the error', async () => {
  await withClient(url, async (client) => {
    await client.query('begin; lock table intents in access share mode');
    const { code, message } = await refusalOf(rewrite());
    expect(code).toBe('conflict');
    expect(message).toContain('Table intents is in use');
    await client.query('commit');
  });
  expect(await rewrite()).toBe(true);
});

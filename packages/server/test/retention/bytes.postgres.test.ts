/**
 * No file of a PostgreSQL database contains erased data once the erasure is finished. The write-ahead log is stored
 * elsewhere.
 */
import { randomBytes } from 'node:crypto';
import type { Client } from 'pg';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { eraseAged } from '../../src/gate/erasure/erase-aged.ts';
import { eraseIntent } from '../../src/gate/erasure/erase-intent.ts';
import { finishErasures } from '../../src/gate/erasure/unfinished-erasure.ts';
import { readIntent } from '../../src/gate/intents/read.ts';
import { withdrawIntent } from '../../src/gate/intents/withdraw.ts';
import { verifyPermit } from '../../src/gate/permits/verify.ts';
import type { GateParts } from '../../src/open-gate.ts';
import { erasePerson } from '../../src/people/erase-person.ts';
import { removeMember } from '../../src/people/members/remove-member.ts';
import { openPostgresStorage } from '../../src/storage/postgres/open-postgres-storage.ts';
import { withClient } from '../fixtures/postgres/create-template.ts';
import { PATIENCE } from '../fixtures/postgres/patience.ts';
import { refusalOf } from '../fixtures/refusal-of.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';
import { ACTION, approvedAbout, asked } from './asked-and-approved.ts';
import { liveThrough } from './live-through.ts';
import { tracesOf } from './traces.ts';

const SECRET = 'Irmgard Zwiebelmayr-Quandt';

let t: TestApp;
let url: string;
beforeEach(async () => {
  t = await openTestApp({ logLevel: 'silent', config: { rateLimitPerMinute: 0 } });
  if (!('url' in t.database)) throw new Error('the test needs PostgreSQL');
  url = t.database.url;
});
afterEach(() => t.close());

/** Searches the files as they would be found on the disk. */
function traces(text = SECRET): Promise<string[]> {
  return withClient(url, async (client) => {
    await client.query('checkpoint');
    const { rows } = await client.query<{ directory: string }>(
      `select current_setting('data_directory') || '/base/' || oid as directory
      from pg_database where datname = current_database()`,
    );
    return tracesOf(rows[0]?.directory ?? '', text);
  });
}

/** Creates texts in every place, including where ANALYZE keeps samples and where long values are stored. */
async function lived(): Promise<string[]> {
  const told = await liveThrough(t, 24, SECRET);
  const long = randomBytes(12_000).toString('base64');
  const { body } = await t.call('POST', '/v1/intents', {
    key: t.first.agent_key,
    headers: { 'idempotency-key': 'long' },
    body: { action: 'mail.send', params: { text: `${long} ${SECRET} ${long}` } },
  });
  await t.call('POST', `/v1/intents/${body.id}/deny`, { key: t.first.secret_key });
  await t.sealer.sealNow(t.projectId);
  await withClient(url, (client) => client.query('analyze'));
  return [...told, String(body.id)];
}

async function eraseAll(told: readonly string[]): Promise<void> {
  for (const intentId of told) {
    const { files } = await eraseIntent(t.gate, t.owner.caller, { projectId: t.projectId, intentId });
    expect(files).toBe('pending');
  }
}

/** Opens the gate as the command line does, with the given role. Null: as the owner of everything. */
async function gateAs(role: string | null, more: { rewritePatienceMs?: number } = {}): Promise<GateParts> {
  const address = new URL(url);
  if (role !== null) address.username = role;
  const storage = await openPostgresStorage({
    url: address.href,
    ...PATIENCE,
    // Other tests write to databases of the same server, so a rewrite may have to wait for long.
    rewritePatienceMs: PATIENCE.answerTimeoutMs,
    schema: 'check',
    ...more,
  });
  onTestFinished(() => storage.close());
  return { ...t.gate, storage };
}

/** A role that may do what gates need, and owns nothing. */
function servingRole(): Promise<string> {
  return makeRole((role) => [
    `grant select, insert, update, delete on all tables in schema public to ${role}`,
    `grant usage on all sequences in schema public to ${role}`,
  ]);
}

/** A role as the manual describes it for operators: it owns the database and its tables, and is not a superuser. */
async function owningRole(): Promise<string> {
  const tables = await withClient(url, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select quote_ident(tablename) as name from pg_tables where schemaname = 'public'`,
    );
    return rows.map(({ name }) => name);
  });
  return makeRole((role) => [
    `alter database ${new URL(url).pathname.slice(1)} owner to ${role}`,
    ...tables.map((name) => `alter table ${name} owner to ${role}`),
  ]);
}

async function makeRole(rightsOf: (role: string) => readonly string[]): Promise<string> {
  const role = `gate_${randomBytes(4).toString('hex')}`;
  const { username, password } = new URL(url);
  await withClient(url, async (client) => {
    await client.query(`create role ${role} login password '${password}'`);
    for (const right of rightsOf(role)) await client.query(right);
  });
  onTestFinished(() =>
    withClient(url, async (client) => {
      await client.query(`reassign owned by ${role} to ${username}`);
      await client.query(`drop owned by ${role}`);
      await client.query(`drop role ${role}`);
    }),
  );
  return role;
}

async function unfinished(): Promise<(string | null)[]> {
  return (await t.gate.storage.read.listUnfinishedErasures()).map(({ subjectId }) => subjectId);
}

it('once erasures are finished, no file contains texts of erased intents, records, stored answers or samples', async () => {
  const told = await lived();
  expect(await traces()).not.toEqual([]);
  await eraseAll(told);
  expect((await unfinished()).toSorted()).toEqual(told.toSorted());

  const gate = await gateAs(await owningRole());
  expect(await finishErasures(gate, { rewrite: true })).toBe(told.length);
  expect(await traces()).toEqual([]);
  expect(await unfinished()).toEqual([]);
});

it('once an erasure is finished, no file contains a person who approved, held keys and left', async () => {
  const email = 'annegret.zwetschge@example.org';
  const person = await t.addPerson(email, 'admin');
  await t.addService(email, `laptop of ${email}`);
  const { id, params, token } = await approvedAbout(t, 'a customer', person.caller);
  await verifyPermit(t.gate, t.verifier, { token, action: ACTION, params, consume: true });
  const { id: about } = await asked(t, email);
  await withdrawIntent(t.gate, t.agent, about);
  await t.sealer.sealNow(t.projectId);
  await withClient(url, (client) => client.query('analyze'));
  const { projectId } = t;
  await removeMember(t.gate, t.owner.caller, { projectId, userId: person.userId });
  const erased = await erasePerson(t.gate, t.owner.caller, { projectId, person: email });
  expect(erased).toMatchObject({ intents: 2, files: 'pending', remainingIntents: 0 });
  expect(await traces(email)).not.toEqual([]);
  expect(await unfinished()).toEqual([person.userId]);

  await finishErasures(await gateAs(null), { rewrite: true });
  expect(await traces(email)).toEqual([]);
  expect((await readIntent(t.gate, t.agent, id)).intent.id).toBe(id);
});

it('once erasures are finished, no file contains samples of a table that became empty', async () => {
  await eraseAll(await lived());
  await withClient(url, async (client) => {
    await client.query('delete from idempotency_records');
    await client.query(
      `insert into idempotency_records (scope, key, body_hash, status, body, expires_at)
      select 's', n, '', 201, $1, '2026' from generate_series(1, 3) as n`,
      [`{"to":"${SECRET}"}`],
    );
    await client.query('analyze idempotency_records; delete from idempotency_records');
  });
  await finishErasures(await gateAs(await owningRole()), { rewrite: true });
  expect(await traces()).toEqual([]);
});

it('an erasure request rewrites no tables', async () => {
  const [intentId = ''] = await lived();
  const files = () => withClient(url, filesOfTables);
  const before = await files();
  await eraseAll([intentId]);
  expect(await finishErasures(t.gate)).toBe(0);
  expect(await files()).toEqual(before);
  expect(await unfinished()).toEqual([intentId]);
});

it('a project erased by age in many transactions is listed as unfinished once', async () => {
  await liveThrough(t, 60, SECRET);
  t.clock.advance(10 * 24 * 3600);
  const aged = await eraseAged(t.gate, null, { projectId: t.projectId, days: 5 });
  expect(aged).toMatchObject({ intents: 60, files: 'pending' });
  expect(await unfinished()).toEqual([null]);
});

it('a role that does not own the tables cannot finish erasures, which all stay unfinished', async () => {
  const told = await lived();
  await eraseAll(told);
  const role = await servingRole();
  const refusal = await refusalOf(finishErasures(await gateAs(role), { rewrite: true }));
  expect(refusal.code).toBe('conflict');
  expect(refusal.message).toContain(`Role ${role} does not own the database and its tables`);
  expect(refusal.message).toContain('has the rights of postgres');
  expect(await traces()).not.toEqual([]);
  expect(await unfinished()).toHaveLength(told.length);
});

it('an older snapshot that keeps the texts is named, and erasures stay unfinished until it ends', async () => {
  const told = await lived();
  await withClient(url, async (old) => {
    await old.query(`set application_name = 'nightly report'`);
    await old.query('begin isolation level repeatable read; select 1');
    await eraseAll(told);
    const impatient = await gateAs(null, { rewritePatienceMs: 0 });
    const refusal = await refusalOf(finishErasures(impatient, { rewrite: true }));
    expect(refusal.code).toBe('conflict');
    expect(refusal.message).toContain('(nightly report)');
    expect(await traces()).not.toEqual([]);
    expect(await unfinished()).toHaveLength(told.length);
    await old.query('commit');
  });
  await finishErasures(await gateAs(null), { rewrite: true });
  expect(await traces()).toEqual([]);
  expect(await unfinished()).toEqual([]);
});

it('texts erased while tables are rewritten stay listed as unfinished', async () => {
  const [first = '', second = ''] = await lived();
  await eraseAll([first]);
  const gate = await gateAs(null);
  let erased: Promise<void> | undefined;
  await finishErasures(gate, {
    rewrite: true,
    onTable: () => {
      erased ??= eraseAll([second]);
    },
  });
  await erased;
  expect(await unfinished()).toEqual([second]);
});

async function filesOfTables(client: Client): Promise<unknown[]> {
  const { rows } = await client.query(
    `select relname, pg_relation_filenode(oid) from pg_class where relkind = 'r' order by relname`,
  );
  return rows;
}

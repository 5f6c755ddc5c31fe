/** A database restored with PostgreSQL's own tools is not served until an operator declares what was restored. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { authenticateKey } from '../../src/gate/access/authenticate-key.ts';
import { decideIntent } from '../../src/gate/intents/decide.ts';
import { submitIntent } from '../../src/gate/intents/submit.ts';
import { verifyPermit } from '../../src/gate/permits/verify.ts';
import { startProject } from '../../src/gate/projects/stop-switch.ts';
import type { GateParts } from '../../src/open-gate.ts';
import { type OpenGate, openGate } from '../../src/open-gate.ts';
import { adoptComplete, adoptDatabase } from '../../src/ops/backup/adopt-database.ts';
import { LossWatch } from '../../src/ops/restore-detection/loss-watch.ts';
import { type FirstCredentials, initialiseGate } from '../../src/people/initialise-gate.ts';
import { OPERATOR, TEST_KEY_SETTINGS } from '../fixtures/open-test-gate.ts';
import { databaseUrl, withClient } from '../fixtures/postgres/create-template.ts';
import { findPostgresBinaries } from '../fixtures/postgres/find-binaries.ts';
import { openTestDatabase, type TestDatabase } from '../fixtures/postgres/open-test-database.ts';
import { PATIENCE } from '../fixtures/postgres/patience.ts';

const REFUND = { action: 'payments.refund', params: { amount: 120 } };
const REFUSED = /not the database that gates served last\. It was restored or copied.*declare-restored/;

let database: TestDatabase;
/** The URL of the copy that `copy` makes. The copy is dropped after the test. */
let copied: string;
let first: FirstCredentials;
/** Permits of two approvals. `useFirst` uses the first one. */
let used: string;
let unused: string;

beforeEach(async () => {
  database = await openTestDatabase();
  copied = databaseUrl(database.url, `${nameOf(database.url)}_copy`);
  await serving(database.url, async ({ gate }) => {
    first = await initialiseGate(gate, {
      mode: 'test',
      projectName: 'First',
      ownerEmail: 'owner@example.org',
    });
    [used, unused] = [await approvedOn(gate), await approvedOn(gate)];
  });
});
afterEach(async () => {
  await onServer((ask) => ask(`drop database if exists ${nameOf(copied)} with (force)`));
  await database.drop();
});

function nameOf(url: string): string {
  return new URL(url).pathname.slice(1);
}

function onServer(work: (ask: (sql: string) => Promise<unknown>) => Promise<unknown>): Promise<unknown> {
  return withClient(databaseUrl(database.url, 'postgres'), (client) => work((sql) => client.query(sql)));
}

/** Like a dump restored elsewhere: the same rows in another database. */
function copy(): Promise<unknown> {
  return onServer((ask) => ask(`create database ${nameOf(copied)} template ${nameOf(database.url)}`));
}

function open(url: string, how: { serving?: boolean } = {}): Promise<OpenGate> {
  return openGate({
    database: { url, ...PATIENCE },
    issuer: 'http://localhost:4000',
    signingKeys: TEST_KEY_SETTINGS,
    ...how,
  });
}

async function serving<T>(url: string, work: (opened: OpenGate) => Promise<T>): Promise<T> {
  const opened = await open(url, { serving: true });
  return work(opened).finally(() => opened.close());
}

/** Opens the database beside a gate that serves it, as the commands do. */
async function beside<T>(url: string, work: (opened: OpenGate) => Promise<T>): Promise<T> {
  const opened = await open(url);
  return work(opened).finally(() => opened.close());
}

async function approvedOn(gate: GateParts): Promise<string> {
  const { caller } = await authenticateKey(gate, first.secret_key);
  const { intent } = await submitIntent(gate, caller, REFUND);
  const decided = await decideIntent(gate, caller, { intentId: intent.id, decision: 'approve' });
  return decided.intent.permit?.token ?? '';
}

async function consumeOn(gate: GateParts, token: string): Promise<unknown> {
  const { caller } = await authenticateKey(gate, first.verifier_key);
  return verifyPermit(gate, caller, { token, ...REFUND, consume: true });
}

async function verifyOn(gate: GateParts, token: string): Promise<unknown> {
  const { caller } = await authenticateKey(gate, first.verifier_key);
  return verifyPermit(gate, caller, { token, ...REFUND, consume: false });
}

const useFirst = () => serving(database.url, ({ gate }) => consumeOn(gate, used));

const CLOSED = { code: 'service_unavailable', message: expect.stringContaining('declare-restored') };
const REVOKED = { details: { reason: 'revoked' } };

/** Every row of every table. */
function contents(url: string): Promise<string[]> {
  return withClient(url, async (client) => {
    const tables = await client.query<{ name: string }>(
      `select quote_ident(tablename) as name from pg_tables where schemaname = 'public' order by 1`,
    );
    const all: string[] = [];
    for (const { name } of tables.rows) {
      const { rows } = await client.query<{ row: string }>(`select t::text as row from ${name} t order by 1`);
      all.push(...rows.map(({ row }) => `${name} ${row}`));
    }
    return all;
  });
}

/** The contents except what each gate writes about itself every few seconds, even when closed. */
async function changes(): Promise<string[]> {
  const rows = await contents(database.url);
  return rows.filter((row) => !/^(heartbeats|installation \(served_until)/.test(row));
}

describe('a copy from before a permit was used', () => {
  beforeEach(async () => {
    await copy();
    await useFirst();
  });

  test('is not served and stays unchanged', async () => {
    const before = await contents(copied);
    await expect(open(copied, { serving: true })).rejects.toThrow(REFUSED);
    expect(await contents(copied)).toEqual(before);
    expect(before.length).toBeGreaterThan(20);
    // Other commands can still read the database.
    await beside(copied, async ({ gate }) => {
      expect(await gate.storage.read.listProjects()).toHaveLength(1);
    });
    await expect(open(copied, { serving: true })).rejects.toThrow(REFUSED);
  });

  test('is served once it is declared restored, and accepts neither permit', async () => {
    const adopted = await beside(copied, (opened) => adoptDatabase(opened, OPERATOR, { revokeKeys: false }));
    expect(adopted.restored).toMatchObject([{ approvalsRevoked: 2 }]);
    await serving(copied, async ({ gate }) => {
      await startProject(gate, OPERATOR, { projectId: first.project_id });
      await expect(consumeOn(gate, used)).rejects.toMatchObject(REVOKED);
      await expect(consumeOn(gate, unused)).rejects.toMatchObject(REVOKED);
      await consumeOn(gate, await approvedOn(gate));
    });
    // The original is unchanged.
    await serving(database.url, ({ gate }) => consumeOn(gate, unused));
  });

  test('is not served after a failed attempt to declare it restored', async () => {
    await withClient(copied, (client) =>
      client.query(`update events set data = '{"altered":true}' where seq = 2`),
    );
    await beside(copied, async (opened) => {
      await expect(adoptDatabase(opened, OPERATOR, { revokeKeys: false })).rejects.toMatchObject({
        reason: 'damaged',
      });
    });
    await expect(open(copied, { serving: true })).rejects.toThrow(REFUSED);
  });
});

test('a copy of the newest state is served once it is declared complete, and keeps its unused permits', async () => {
  await useFirst();
  await copy();
  await expect(open(copied, { serving: true })).rejects.toThrow('--nothing-lost');
  await beside(copied, (opened) => adoptComplete(opened));
  await serving(copied, async ({ gate }) => {
    await expect(consumeOn(gate, used)).rejects.toMatchObject({ details: { reason: 'already_used' } });
    await consumeOn(gate, unused);
  });
});

test('a database cannot be declared complete while a gate serves it', async () => {
  await serving(database.url, () =>
    beside(database.url, async (opened) => {
      await expect(adoptComplete(opened)).rejects.toMatchObject({ reason: 'occupied' });
    }),
  );
});

test('a running gate refuses service when its database is replaced by a copy', async () => {
  await copy();
  await serving(database.url, async ({ gate }) => {
    await consumeOn(gate, used);
    await onServer(async (ask) => {
      await ask(`drop database ${nameOf(database.url)} with (force)`);
      await ask(`create database ${nameOf(database.url)} template ${nameOf(copied)}`);
    });
    await expect(consumeOn(gate, used)).rejects.toMatchObject({ code: 'service_unavailable' });
    await expect(consumeOn(gate, unused)).rejects.toMatchObject({ code: 'service_unavailable' });
  });
  await expect(open(database.url, { serving: true })).rejects.toThrow(REFUSED);
});

const binaries = findPostgresBinaries();
const run = (program: string, ...args: string[]) => execFileSync(join(binaries.directory, program), args);

// Only the system's PostgreSQL includes these programs.
describe.runIf(binaries.origin === 'system')('a database dump', () => {
  const dump = () => run('pg_dump', '--format', 'custom', '--dbname', database.url);
  const restore = (from: Buffer, ...how: string[]) =>
    execFileSync(join(binaries.directory, 'pg_restore'), how, { input: from });

  test('restored to another database is not served', async () => {
    const dumped = dump();
    await useFirst();
    await onServer((ask) => ask(`create database ${nameOf(copied)} template template0`));
    restore(dumped, '--dbname', copied);
    await expect(open(copied, { serving: true })).rejects.toThrow(REFUSED);
    await serving(database.url, () => Promise.resolve());
  });

  test('restored over its own database is not served until it is declared restored', async () => {
    const dumped = dump();
    await useFirst();
    restore(dumped, '--clean', '--if-exists', '--dbname', database.url);
    await expect(open(database.url, { serving: true })).rejects.toThrow(REFUSED);
    await beside(database.url, (opened) => adoptDatabase(opened, OPERATOR, { revokeKeys: false }));
    await serving(database.url, async ({ gate }) => {
      await startProject(gate, OPERATOR, { projectId: first.project_id });
      await expect(consumeOn(gate, used)).rejects.toMatchObject(REVOKED);
    });
  });
});

describe.runIf(binaries.origin === 'system')('old rows restored into the existing tables', () => {
  const FILE = 'served-until.json';
  let directory: string;
  let complaints: unknown[];
  const remembering = () =>
    openGate({
      database: { url: database.url, ...PATIENCE },
      issuer: 'http://localhost:4000',
      signingKeys: TEST_KEY_SETTINGS,
      serving: true,
      servedUntilFile: join(directory, FILE),
      onError: (error) => complaints.push(error),
    });
  const dumpRows = () => run('pg_dump', '--data-only', '--format', 'custom', '--dbname', database.url);
  /** Replaces the rows of a database that keeps its identity, as after a point-in-time recovery or a disk snapshot. */
  async function putBack(rows: Buffer): Promise<void> {
    const names = await withClient(database.url, async (client) => {
      const { rows: tables } = await client.query<{ names: string }>(
        `select string_agg(quote_ident(tablename), ',') as names from pg_tables where schemaname = 'public'`,
      );
      return tables[0]?.names;
    });
    const script = execFileSync(
      join(binaries.directory, 'pg_restore'),
      ['--disable-triggers', '--file', '-'],
      {
        input: rows,
      },
    );
    // Running gates must keep running and writing, so this uses one transaction, which waits for theirs.
    const psql = spawn(
      join(binaries.directory, 'psql'),
      ['--single-transaction', '--quiet', '--set', 'ON_ERROR_STOP=1', '--dbname', database.url],
      { stdio: ['pipe', 'ignore', 'inherit'] },
    );
    psql.stdin.end(`truncate ${names} cascade;\n${script}`);
    expect(await once(psql, 'exit')).toEqual([0, null]);
  }

  beforeEach(() => {
    directory = mkdtempSync(join(tmpdir(), 'permitry-served-'));
    complaints = [];
  });
  afterEach(() => rmSync(directory, { recursive: true, force: true }));

  test('are not served by a gate that served later ones, until they are declared restored', async () => {
    await (await remembering()).close();
    const rows = dumpRows();
    const longer = await remembering();
    await consumeOn(longer.gate, used);
    await longer.close();
    await putBack(rows);
    await expect(remembering()).rejects.toThrow(/restored to an earlier state.*declare-restored/);
    await beside(database.url, (opened) => adoptDatabase(opened, OPERATOR, { revokeKeys: false }));
    const after = await remembering();
    await startProject(after.gate, OPERATOR, { projectId: first.project_id });
    await expect(consumeOn(after.gate, used)).rejects.toMatchObject(REVOKED);
    await after.close();
    expect(complaints).toEqual([]);
  });

  test('are served again if nothing was lost, even when a power failure left half a file', async () => {
    await (await remembering()).close();
    await (await remembering()).close();
    writeFileSync(join(directory, FILE), '{"datab');
    await (await remembering()).close();
    expect(complaints).toEqual([]);
  });

  test('are refused even after the declaration if the clock was ahead, and the error names the way out', async () => {
    await (await remembering()).close();
    const rows = dumpRows();
    const served = await remembering();
    const later = new Date(Date.parse(served.gate.clock.now()) + 3_600_000).toISOString();
    await served.close();
    const file = join(directory, FILE);
    const witness = JSON.parse(readFileSync(file, 'utf8')) as object;
    writeFileSync(file, JSON.stringify({ ...witness, served_until: later }));
    await putBack(rows);
    await beside(database.url, (opened) => adoptDatabase(opened, OPERATOR, { revokeKeys: false }));
    await expect(remembering()).rejects.toThrow(/the clock of the database was ahead.*Delete the file/);
    rmSync(file);
    await beside(database.url, (opened) => adoptDatabase(opened, OPERATOR, { revokeKeys: false }));
    await (await remembering()).close();
  });

  test('are noticed through a file, whose failed writing is reported once and made up for later', async () => {
    const { gate, storage, close } = await remembering();
    const file = join(directory, 'full', FILE);
    const watch = new LossWatch(
      { storage, clock: gate.clock },
      { run: 'another', file, onError: (error) => complaints.push(error) },
    );
    await watch.start();
    watch.promoted();
    await watch.assertNone();
    expect(complaints).toHaveLength(1);
    mkdirSync(join(directory, 'full'));
    await watch.stop();
    expect(JSON.parse(readFileSync(file, 'utf8'))).toMatchObject({ database: await storage.identity() });
    expect(readdirSync(join(directory, 'full'))).toEqual([FILE]);
    expect(complaints).toHaveLength(1);
    await close();
  });

  test('close every running gate and keep out every new one until they are declared restored', async () => {
    const [noticing, other] = [await remembering(), await open(database.url, { serving: true })];
    const rows = dumpRows();
    await consumeOn(noticing.gate, used);
    // The gate notices a loss only after it has updated its file since the dump.
    const file = () => readFileSync(join(directory, FILE), 'utf8');
    const atDump = file();
    await expect.poll(file).not.toBe(atDump);
    await putBack(rows);
    await expect.poll(() => complaints.map(String).join()).toMatch(/lost everything written after/);
    for (const { gate } of [noticing, other]) {
      const before = await changes();
      await expect(consumeOn(gate, used)).rejects.toMatchObject(CLOSED);
      await expect(verifyOn(gate, used)).rejects.toMatchObject(CLOSED);
      await expect(approvedOn(gate)).rejects.toMatchObject(CLOSED);
      expect(gate.losses.intactUntil).not.toBeNull();
      expect(await changes()).toEqual(before);
    }
    // A new gate with an empty directory, and one without a directory.
    directory = mkdtempSync(join(directory, 'new-'));
    await expect(remembering()).rejects.toThrow(/lost commits.*declare-restored/);
    await expect(open(database.url, { serving: true })).rejects.toThrow(/lost commits/);
    await Promise.all([noticing.close(), other.close()]);
    await expect(remembering()).rejects.toThrow(/lost commits/);
    await beside(database.url, (opened) => adoptDatabase(opened, OPERATOR, { revokeKeys: false }));
    const after = await remembering();
    await startProject(after.gate, OPERATOR, { projectId: first.project_id });
    await expect(consumeOn(after.gate, used)).rejects.toMatchObject(REVOKED);
    await consumeOn(after.gate, await approvedOn(after.gate));
    await after.close();
  });

  test('are noticed by a returning gate, even if a gate with an empty directory has served since', async () => {
    await (await remembering()).close();
    const rows = dumpRows();
    const longer = await remembering();
    await consumeOn(longer.gate, used);
    await longer.close();
    await putBack(rows);
    const remembered = directory;
    directory = mkdtempSync(join(directory, 'new-'));
    const newcomer = await remembering();
    const file = () => readFileSync(join(directory, FILE), 'utf8');
    const atStart = file();
    await expect.poll(file).not.toBe(atStart);
    [directory] = [remembered];
    await expect(remembering()).rejects.toThrow(/restored to an earlier state.*declare-restored/);
    // The mark that this gate writes to the database closes the newcomer too.
    await expect(consumeOn(newcomer.gate, used)).rejects.toMatchObject(CLOSED);
    await newcomer.close();
  });
});

test('gates that serve a database for the first time at once agree on its identity', async () => {
  await copy();
  await withClient(copied, (client) =>
    client.query(`delete from installation where name = 'served_database'`),
  );
  const opened = await Promise.all([0, 1, 2].map(() => open(copied, { serving: true })));
  try {
    const [one] = opened;
    expect(await one?.gate.storage.read.findInstallationFact('served_database')).toBe(
      await one?.storage.identity(),
    );
  } finally {
    await Promise.all(opened.map((gate) => gate.close()));
  }
  await serving(copied, () => Promise.resolve());
});

/** `permitry serve --check` says whether a gate could serve, and changes nothing. */
import { createHash, randomBytes } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import { withClient } from '../../server/test/fixtures/postgres/create-template.ts';
import { openTestDatabase } from '../../server/test/fixtures/postgres/open-test-database.ts';
import {
  call,
  type Finished,
  freshDirectory,
  initialise,
  permitry,
  REFUND,
  readCredentials,
  serve,
  serveWith,
} from './fixtures/permitry.ts';

const KEY = randomBytes(32).toString('base64');
const OTHER_KEY = randomBytes(32).toString('base64');
/** A migration that this release does not know, and that earlier releases cannot serve. */
const LATER = "insert into permitry_migrations values (999, 999, 1, 1, '')";
/** A migration that this release may serve. */
const ADDED = "insert into permitry_migrations values (998, 1, 1, 1, '')";
const FIT = /^ok +database .*\nok +keys .* signs; all keys can be opened\.\nok +clock .*\nok +disk .*\n$/m;

/** Sets a variable for one test. */
function set(env: Record<string, string>): void {
  Object.assign(process.env, env);
  onTestFinished(() => {
    for (const name of Object.keys(env)) delete process.env[name];
  });
}

function stateOf(directory: string): unknown {
  if (!existsSync(directory)) return null;
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => join(directory, name))
    .map((path) => {
      const { mode, mtimeMs } = statSync(path);
      const isFile = statSync(path).isFile();
      return [path, mode, mtimeMs, isFile && createHash('sha256').update(readFileSync(path)).digest('hex')];
    });
}

/** Runs the check, and asserts that the directory did not change. */
async function check(directory: string, ...args: string[]): Promise<Finished> {
  const before = stateOf(directory);
  const finished = await permitry(['serve', '--check', '--data', directory, ...args]);
  expect(stateOf(directory)).toEqual(before);
  return finished;
}

describe('a gate in a directory', () => {
  let data: string;
  const keyFiles = () => readdirSync(join(data, 'keys')).filter((name) => name.endsWith('.json'));
  const keyFile = () => join(data, 'keys', keyFiles()[0] ?? '');
  const inDatabase = (sql: string) => {
    const database = new DatabaseSync(join(data, 'permitry.sqlite'));
    database.exec(sql);
    database.close();
  };

  beforeEach(async () => {
    data = freshDirectory();
    await initialise(data);
  });

  test('is ready, with a line for each part', async () => {
    const { code, stdout, stderr } = await check(data);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(/^ok +configuration All settings can be used\.\n/);
    expect(stdout).toMatch(FIT);
    expect(stdout.split('\n')).toHaveLength(6);
    const json = await check(data, '--json');
    expect(json.code).toBe(0);
    expect(JSON.parse(json.stdout)).toMatchObject({
      fit: true,
      findings: ['configuration', 'database', 'keys', 'clock', 'disk'].map((part) => ({ part, state: 'ok' })),
    });
  });

  test('is not created by the check', async () => {
    const nowhere = freshDirectory();
    const { code, stdout } = await check(nowhere);
    expect(code).toBe(0);
    expect(stdout).toContain(`warning  database      There is no gate in ${nowhere} yet`);
    expect(existsSync(nowhere)).toBe(false);
  });

  test('is checked while a server serves it, and the server keeps running', async () => {
    const { url, credentialsFile } = await serve(freshDirectory());
    const served = join(String(credentialsFile), '..');
    const { secret_key: key } = readCredentials(String(credentialsFile));
    const { code, stdout } = await permitry(['serve', '--check', '--data', served]);
    expect(code).toBe(0);
    expect(stdout).toContain(`warning  database      A gate is serving ${served};`);
    expect((await call(`${url}/v1/intents`, key, REFUND)).status).toBe(201);
    const second = await permitry(['serve', '--data', served, '--port', '0']);
    expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining('Another server is serving') });
  });

  test('is ready after a server was killed, and the check changes nothing', async () => {
    const { url, credentialsFile } = await serve(freshDirectory());
    const served = join(String(credentialsFile), '..');
    await call(`${url}/v1/intents`, readCredentials(String(credentialsFile)).secret_key, REFUND);
    const left = freshDirectory();
    cpSync(served, left, { recursive: true, preserveTimestamps: true });
    expect(statSync(join(left, 'permitry.sqlite-wal')).size).toBeGreaterThan(0);
    const { code, stdout } = await check(left);
    expect(code).toBe(0);
    expect(stdout).toMatch(FIT);
    rmSync(join(left, 'permitry.sqlite-shm'));
    const unread = await check(left);
    expect(unread.code).toBe(0);
    expect(unread.stdout).toMatch(/^warning +database .*the next start recovers it\.$/m);
  });

  test.each<[string, () => void, RegExp]>([
    [
      'a database of a newer release',
      () => inDatabase(LATER),
      /^problem +database .*schema version 999.* newer release/m,
    ],
    [
      'another program’s database',
      () => inDatabase('pragma application_id = 7'),
      /^problem +database .*is not a Permitry database/m,
    ],
    [
      'a file that is not a database',
      () => writeFileSync(join(data, 'permitry.sqlite'), 'something else entirely'.repeat(99)),
      /^problem +database .*permitry\.sqlite cannot be read: file is not a database/m,
    ],
    [
      'a gate that was moved',
      () =>
        writeFileSync(join(data, 'moved.json'), '{"state":"moved","to":"postgres://db/gate","at":"then"}'),
      /^problem +database .*was moved to postgres:\/\/db\/gate/m,
    ],
    [
      'a key that others can read',
      () => chmodSync(keyFile(), 0o644),
      /^problem +keys .*chmod 600, and rotate/m,
    ],
    ['a damaged key', () => writeFileSync(keyFile(), 'secret of a key'), /^problem +keys .*is not JSON/m],
    [
      'a damaged key for secrets',
      () => writeFileSync(join(data, 'keys/secrets.key'), 'secret of a key'),
      /^problem +keys .*secrets\.key: is not JSON/m,
    ],
    [
      'a clock that went back',
      () => utimesSync(join(data, 'base-url'), new Date(), new Date(Date.now() + 3_600_000)),
      /^problem +clock .* 3\d\d\d seconds behind .*base-url.*NTP/m,
    ],
  ])('has a problem: %s', async (_what, harm, line) => {
    writeFileSync(join(data, 'base-url'), 'http://localhost:8787\n');
    harm();
    const { code, stdout } = await check(data);
    expect(code).toBe(1);
    expect(stdout).toMatch(line);
    expect(stdout).not.toContain('secret of a key');
    expect(JSON.parse((await check(data, '--json')).stdout)).toMatchObject({ fit: false });
  });

  test('has a problem if its keys are under another or a missing key-encryption key', async () => {
    const encrypted = freshDirectory();
    set({ PERMITRY_KEY_ENCRYPTION_KEY: KEY });
    expect((await permitry(['init', '--mode', 'test', '--data', encrypted])).code).toBe(0);
    expect((await check(encrypted)).stdout).toMatch(FIT);
    process.env.PERMITRY_KEY_ENCRYPTION_KEY = OTHER_KEY;
    const other = await check(encrypted);
    expect(other.code).toBe(1);
    expect(other.stdout).toMatch(/^problem +keys .*is encrypted under/m);
    expect(other.stdout).toMatch(/^problem +keys .*secrets\.key: is encrypted under/m);
    delete process.env.PERMITRY_KEY_ENCRYPTION_KEY;
    const none = await check(encrypted);
    expect(none.code).toBe(1);
    expect(none.stdout).toMatch(/^problem +keys .*set PERMITRY_KEY_ENCRYPTION_KEY/m);
  });

  test('has a problem if the directory cannot be used', async () => {
    const { code, stdout } = await permitry(['serve', '--check', '--data', '/dev/null/data']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^problem +disk +Cannot use \/dev\/null: permission is denied\.$/m);
  });

  test.each<[string, () => void, RegExp]>([
    [
      'an older schema',
      () => {
        const database = new DatabaseSync(join(data, 'permitry.sqlite'));
        database.exec(
          'delete from permitry_migrations where version = (select max(version) from permitry_migrations)',
        );
        database.close();
      },
      /^warning +database .*the next start brings it to/m,
    ],
    ['a directory that others can write to', () => chmodSync(data, 0o777), /^warning +disk .*chmod go-w/m],
    [
      'an unencrypted key beside a key-encryption key',
      () => set({ PERMITRY_KEY_ENCRYPTION_KEY: KEY }),
      /^warning +keys .*signing-keys encrypt$/m,
    ],
    [
      'an address that others cannot reach',
      () => set({ PERMITRY_HOST: '0.0.0.0' }),
      /^warning +configuration .*--base-url/m,
    ],
  ])('has a warning: %s', async (_what, change, line) => {
    change();
    const { code, stdout } = await check(data);
    expect(stdout).toMatch(line);
    expect(code).toBe(0);
  });

  test('is not checked further if settings cannot be used, and these are named', async () => {
    set({ PERMITRY_PROT: '1', PERMITRY_HOST: '..' });
    const { code, stdout } = await check(data);
    expect(code).toBe(2);
    expect(stdout.split('\n')).toEqual([
      'problem  configuration PERMITRY_PROT is not a setting. Did you mean PERMITRY_PORT?',
      expect.stringMatching(/^problem {2}configuration PERMITRY_HOST must be/),
      '',
    ]);
    const json = await check(data, '--json');
    expect(json.code).toBe(2);
    expect(JSON.parse(json.stdout)).toMatchObject({ fit: false, findings: [{ part: 'configuration' }, {}] });
  });
});

describe('a gate on PostgreSQL', () => {
  let url: string;
  let data: string;

  /** Runs the check, and asserts that no row changed. */
  async function checkDatabase(): Promise<Finished> {
    const before = [await contentOf(url), stateOf(data)];
    const finished = await permitry(['serve', '--check']);
    expect([await contentOf(url), stateOf(data)]).toEqual(before);
    return finished;
  }
  const ask = (sql: string) => withClient(url, (client) => client.query(sql));

  beforeEach(async () => {
    const database = await openTestDatabase({ empty: true });
    onTestFinished(() => database.drop());
    url = database.url;
    data = freshDirectory();
    mkdirSync(data, { mode: 0o700 });
    set({ PERMITRY_DATABASE_URL: url, PERMITRY_KEY_ENCRYPTION_KEY: KEY, PERMITRY_DATA: data });
  });

  test('is ready while its database is empty, unless nothing may migrate it', async () => {
    const { code, stdout } = await checkDatabase();
    expect(code).toBe(0);
    expect(stdout).toMatch(/^warning +database +The database is empty; the next start brings it up to date/m);
    set({ PERMITRY_MIGRATE_AT_START: 'false' });
    const refused = await checkDatabase();
    expect(refused.code).toBe(1);
    expect(refused.stdout).toMatch(/^problem +database .*run: permitry migrate/m);
    expect((await permitry(['migrate', '--status'])).code).toBe(3);
  });

  test('has a problem if its database is missing', async () => {
    set({ PERMITRY_DATABASE_URL: 'postgres://gate:s3cret@127.0.0.1:1/permitry' });
    const { code, stdout } = await permitry(['serve', '--check']);
    expect(code).toBe(1);
    expect(stdout).toMatch(/^problem +database .*ECONNREFUSED/m);
    expect(stdout).toMatch(/^warning +keys +They are in the database and were not checked\.$/m);
    expect(stdout).not.toContain('s3cret');
  });

  describe('with an initialised database', () => {
    beforeEach(async () => {
      expect((await permitry(['init', '--mode', 'test'])).code).toBe(0);
    });

    test('is ready', async () => {
      const { code, stdout } = await checkDatabase();
      expect(stdout).toMatch(FIT);
      expect(code).toBe(0);
    });

    test('is ready if a newer release only added to it', async () => {
      await ask(ADDED);
      const { code, stdout } = await checkDatabase();
      expect(stdout).toMatch(FIT);
      expect(code).toBe(0);
    });

    test('is checked beside gates that serve it, only under their base URL', async () => {
      await serveWith({}, null, '--base-url', 'http://gate.example');
      const there = await permitry(['serve', '--check', '--base-url', 'http://gate.example']);
      expect(there.code).toBe(0);
      expect(there.stdout).toMatch(/^ok +database .*1 gate serves it now/m);
      const other = await permitry(['serve', '--check', '--base-url', 'http://other.example']);
      expect(other.code).toBe(1);
      expect(other.stdout).toMatch(/^problem +database .*as http:\/\/gate\.example/m);
    });

    test.each<[string, () => unknown, RegExp]>([
      [
        'that a newer release wrote',
        () => ask(LATER),
        /^problem +database .*schema version 999.* newer release/m,
      ],
      [
        'of an older schema that nothing may update',
        async () => {
          set({ PERMITRY_MIGRATE_AT_START: 'false' });
          await ask(
            'delete from permitry_migrations where version = (select max(version) from permitry_migrations)',
          );
        },
        /^problem +database .*run: permitry migrate/m,
      ],
      [
        'that was restored or copied',
        () => ask(`insert into installation (name, value) values ('served_database', 'another')`),
        /^problem +database .*not the database that gates served last/m,
      ],
      [
        'that lost commits, as a gate noticed',
        () =>
          ask(`insert into installation (name, value) values ('commits_lost', '2026-01-01T00:00:00.000Z')`),
        /^problem +database .*lost commits/m,
      ],
      [
        'with keys under another key-encryption key',
        () => set({ PERMITRY_KEY_ENCRYPTION_KEY: OTHER_KEY }),
        /^problem +keys .*was sealed under/m,
      ],
    ])('has a problem with a database %s', async (_what, harm, line) => {
      await harm();
      const { code, stdout } = await checkDatabase();
      expect(stdout).toMatch(line);
      expect(code).toBe(1);
    });

    test('has a problem if its database is older than this gate remembers, and is not marked', async () => {
      const gate = await serveWith({}, null);
      await expect.poll(() => existsSync(join(data, 'served-until.json'))).toBe(true);
      gate.child.kill('SIGKILL');
      await gate.ended;
      await ask(`delete from installation where name like 'served_until/%'`);
      const { code, stdout } = await checkDatabase();
      expect(code).toBe(1);
      expect(stdout).toMatch(/^problem +database .*restored to an earlier state/m);
    });

    test('has a problem if its role may not write', async () => {
      const role = `reader_${randomBytes(6).toString('hex')}`;
      await ask(
        `create role ${role} login password 'x'; grant select on all tables in schema public to ${role}`,
      );
      onTestFinished(() => ask(`drop owned by ${role}; drop role ${role}`).then(() => undefined));
      const asReader = new URL(url);
      Object.assign(asReader, { username: role, password: 'x' });
      set({ PERMITRY_DATABASE_URL: asReader.href });
      const { code, stdout } = await checkDatabase();
      expect(code).toBe(1);
      expect(stdout).toMatch(/^problem +database .*may not read and write agents, .*grant it/m);
    });
  });
});

test('migrate --status reports the state by its exit code', async () => {
  const database = await openTestDatabase({ empty: true });
  onTestFinished(() => database.drop());
  set({ PERMITRY_DATABASE_URL: database.url });
  const status = () => permitry(['migrate', '--status', '--json']);
  expect(await status()).toMatchObject({ code: 3, stderr: '' });
  expect((await permitry(['migrate'])).code).toBe(0);
  expect(await status()).toMatchObject({ code: 0, stderr: '' });
  const record = (sql: string) => withClient(database.url, (client) => client.query(sql));
  await record(ADDED);
  expect(await status()).toMatchObject({ code: 0, stdout: expect.stringContaining('"version": 998') });
  expect((await permitry(['migrate'])).stdout).toContain('already up to date: schema version 998');
  await record(LATER);
  const before = await contentOf(database.url);
  expect(await status()).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('newer release'),
  });
  expect(await contentOf(database.url)).toEqual(before);
  set({ PERMITRY_DATABASE_URL: 'postgres://gate@127.0.0.1:1/permitry' });
  expect(await status()).toMatchObject({ code: 1, stdout: '' });
  delete process.env.PERMITRY_DATABASE_URL;
  expect(await status()).toMatchObject({ code: 2, stdout: '' });
});

/** A hash of all rows of every table. */
async function contentOf(url: string): Promise<unknown> {
  return withClient(url, async (client) => {
    const { rows } = await client.query<{ name: string }>(
      `select relname as name from pg_class
       where relnamespace = 'public'::regnamespace and relkind in ('r', 'p') order by relname`,
    );
    const content: unknown[] = [];
    for (const { name } of rows) {
      const found = await client.query(
        `select md5(string_agg(one::text, ',' order by one::text)) as hash from "${name}" one`,
      );
      content.push([name, found.rows[0]]);
    }
    return content;
  });
}

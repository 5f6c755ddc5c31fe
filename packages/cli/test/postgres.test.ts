/** The operator's commands on a PostgreSQL database, with the real program. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { expect, onTestFinished, test } from 'vitest';
import { databaseUrl, withClient } from '../../server/test/fixtures/postgres/create-template.ts';
import { openTestDatabase } from '../../server/test/fixtures/postgres/open-test-database.ts';
import {
  BIN,
  call,
  cleanEnvironment,
  type Finished,
  finished,
  freshDirectory,
  permitry,
  REFUND,
  readCredentials,
  spawnPermitry,
} from './fixtures/permitry.ts';

interface GateLocation {
  /** The URL without its password. */
  url: string;
  env: Record<string, string>;
  run(...args: string[]): Promise<Finished>;
}

/** An empty database. */
async function emptyDatabase(): Promise<GateLocation> {
  const database = await openTestDatabase({ empty: true });
  onTestFinished(() => database.drop());
  const url = new URL(database.url);
  const env = {
    PERMITRY_DATABASE_URL: database.url,
    PERMITRY_KEY_ENCRYPTION_KEY: randomBytes(32).toString('base64'),
    PERMITRY_DATA: freshDirectory(),
  };
  const password = url.password;
  url.password = '';
  return {
    url: url.href,
    env: { ...env, PGPASSWORD: password },
    run: (...args) => under(env, () => permitry(args)),
  };
}

/** Runs in this process, because a separate process takes longer to start than to work. */
async function under(env: Record<string, string>, work: () => Promise<Finished>): Promise<Finished> {
  Object.assign(process.env, env);
  try {
    return await work();
  } finally {
    for (const name of Object.keys(env)) delete process.env[name];
  }
}

async function serve(env: Record<string, string>) {
  const child = spawn(
    process.execPath,
    [BIN, 'serve', '--port', '0', '--log-level', 'warn', '--json', '--base-url', 'http://gate.example'],
    { env: cleanEnvironment(env) },
  );
  const ended = finished(child);
  onTestFinished(async () => {
    child.kill('SIGKILL');
    await ended;
  });
  const said = await new Promise<{ url: string; data: string; credentials_file: string | null }>(
    (resolve, reject) => {
      let text = '';
      child.stdout.on('data', (chunk: string) => {
        text += chunk;
        const line = text.split('\n').find((one) => one.startsWith('{"url"'));
        if (line !== undefined && text.includes(`${line}\n`)) resolve(JSON.parse(line));
      });
      void ended.then(({ stderr }) => reject(new Error(`serve ended: ${stderr}`)));
    },
  );
  return { ...said, child, ended };
}

test('several processes create, manage and serve a gate on one database', async () => {
  const { url, env, run } = await emptyDatabase();
  const [one, other] = await Promise.all([serve(env), serve(env)]);
  expect(one.data).toBe(url);
  const [file] = [one, other].flatMap(({ credentials_file: path }) => path ?? []);
  expect([one, other].filter(({ credentials_file: path }) => path !== null)).toHaveLength(1);
  const { secret_key: key } = readCredentials(file ?? '');
  const made = await call(`${one.url}/v1/intents`, key, REFUND);
  expect(made.status).toBe(201);
  const approved = await call(`${other.url}/v1/intents/${made.body.id}/approve`, key, {});
  expect(approved.body.status).toBe('approved');
  const used = await call(`${one.url}/v1/permits/validate`, key, {
    token: approved.body.permit.token,
    ...REFUND,
    consume: true,
  });
  expect(used.body).toMatchObject({ valid: true, bound: true });

  // Changes by the command line take effect on both gates.
  expect((await run('signing-keys', 'rotate', '--now', '--json')).code).toBe(0);
  expect((await run('project', 'stop')).code).toBe(0);
  for (const gate of [one, other])
    expect((await call(`${gate.url}/v1/intents`, key, REFUND)).body.error.code).toBe('project_stopped');
  expect(JSON.parse((await run('audit', 'export')).stdout.split('\n')[0] ?? '')).toBeTruthy();
});

test('a database URL with a password is refused on the command line', async () => {
  const { url, env, run } = await emptyDatabase();
  const { PERMITRY_DATABASE_URL: whole = '', PERMITRY_KEY_ENCRYPTION_KEY = '', PGPASSWORD = '' } = env;
  const withFlag = { PERMITRY_KEY_ENCRYPTION_KEY, PGPASSWORD };
  const none = await spawnPermitry(['project', 'list', '--database', url], { env: withFlag });
  expect(none.code).toBe(2);
  expect(none.stderr).toContain(
    `There is no gate in ${url}. Create one with: permitry init --database ${url}`,
  );
  // A mistyped address creates no gate.
  expect(JSON.parse((await run('migrate', '--status', '--json')).stdout)).toMatchObject({ version: 0 });

  const init = ['init', '--mode', 'live', '--owner', 'ann@example.org', '--database'];
  const told = await spawnPermitry([...init, whole], { env: withFlag });
  expect(told.code).toBe(2);
  expect(told.stderr).toMatch(/Leave the password out of the command line/);
  expect(told.stderr).not.toContain(PGPASSWORD);
  const made = await spawnPermitry([...init, url], { env: withFlag });
  expect(made.stderr).toBe('');
  expect(made.stdout).toContain(`permitry serve --database ${url}`);
  const file = `${freshDirectory()}-url`;
  writeFileSync(file, whole, { mode: 0o600 });
  const listed = await spawnPermitry(['project', 'list', '--json'], {
    env: { PERMITRY_KEY_ENCRYPTION_KEY, PERMITRY_DATABASE_URL_FILE: file },
  });
  expect(JSON.parse(listed.stdout)).toHaveLength(1);

  const both = await run('project', 'list', '--data', 'somewhere');
  expect(both.code).toBe(2);
  expect(both.stderr).toContain('--data and PERMITRY_DATABASE_URL name two gates');
  expect(existsSync('somewhere')).toBe(false);
});

test('the first keys of a database do not replace those of a directory', async () => {
  const { env } = await emptyDatabase();
  const ofDirectory = `${env.PERMITRY_DATA}/credentials.json`;
  mkdirSync(env.PERMITRY_DATA ?? '', { mode: 0o700 });
  writeFileSync(ofDirectory, 'keys of another gate', { mode: 0o600 });
  const gate = await serve(env);
  expect(readFileSync(ofDirectory, 'utf8')).toBe('keys of another gate');
  expect(gate.credentials_file).toMatch(/credentials-prj_[0-9a-z]{26}\.json$/);
  const { secret_key: key } = readCredentials(gate.credentials_file ?? '');
  expect((await call(`${gate.url}/v1/intents`, key, REFUND)).status).toBe(201);
});

test('the reason why a database cannot be used is shown', async () => {
  const { url, env } = await emptyDatabase();
  const { PERMITRY_KEY_ENCRYPTION_KEY = '', PGPASSWORD = '' } = env;
  const elsewhere = (change: (there: URL) => void) => {
    const there = new URL(url);
    change(there);
    return spawnPermitry(['serve', '--port', '0', '--database', there.href], {
      env: { PERMITRY_KEY_ENCRYPTION_KEY, PGPASSWORD },
    });
  };
  const failures = await Promise.all([
    elsewhere((there) => Object.assign(there, { port: '1' })),
    elsewhere((there) => Object.assign(there, { pathname: '/nowhere' })),
    elsewhere((there) => Object.assign(there, { username: 'nobody_here' })),
  ]);
  expect(failures.map(({ code }) => code)).toEqual([1, 1, 1]);
  const [away, missing, stranger] = failures.map(({ stderr }) => stderr);
  expect(away).toContain('connect ECONNREFUSED');
  expect(missing).toContain('database "nowhere" does not exist');
  expect(stranger).toMatch(/nobody_here/);
  expect(failures.map(({ stderr }) => stderr).join('')).not.toContain(PGPASSWORD);
});

test('backups are left to PostgreSQL, and a restored database is declared with declare-restored', async () => {
  const { env, run } = await emptyDatabase();
  const { PERMITRY_DATABASE_URL = '' } = env;
  // Somebody who may change tables needs no keys.
  const migrated = await spawnPermitry(['migrate', '--json'], { env: { PERMITRY_DATABASE_URL } });
  const { needed } = JSON.parse(migrated.stdout) as { needed: number };
  expect(JSON.parse(migrated.stdout)).toMatchObject({ version: needed, run: needed });
  expect((await run('migrate')).stdout).toContain('already up to date');
  expect((await run('init', '--mode', 'test')).code).toBe(0);

  for (const args of [
    ['backup', 'file'],
    ['restore', 'file', '--keep-keys'],
  ]) {
    const refused = await run(...args);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toMatch(/pg_dump|declare-restored/);
  }
  expect((await run('declare-restored')).code).toBe(2);
  const restored = await run('declare-restored', '--revoke-keys', '--json');
  expect(restored.stderr).toBe('');
  expect(JSON.parse(restored.stdout)).toMatchObject({ keys_revoked: 3, projects: [{ stopped: true }] });
  expect(JSON.parse((await run('project', 'list', '--json')).stdout)[0].stopped_at).not.toBeNull();
  expect((await run('project', 'start')).code).toBe(0);
});

test('a copied database is not served until the operator declares what it is', async () => {
  const { env } = await emptyDatabase();
  const { PERMITRY_DATABASE_URL: from = '' } = env;
  const { child, ended } = await serve(env);
  child.kill('SIGTERM');
  await ended;
  const name = new URL(from).pathname.slice(1);
  const to = databaseUrl(from, `${name}_copy`);
  const onServer = (sql: string) => withClient(databaseUrl(from, 'postgres'), (client) => client.query(sql));
  await onServer(`create database ${name}_copy template ${name}`);
  onTestFinished(async () => {
    await onServer(`drop database ${name}_copy with (force)`);
  });
  const copied = { ...env, PERMITRY_DATABASE_URL: to };
  const run = (...args: string[]) => under(copied, () => permitry(args));

  const refused = await spawnPermitry(['serve', '--port', '0', '--base-url', 'http://gate.example'], {
    env: copied,
  });
  expect(refused.code).toBe(1);
  expect(refused.stderr).toMatch(/not the database that gates served last.*permitry declare-restored/);
  for (const keys of ['--revoke-keys', '--keep-keys'])
    expect((await run('declare-restored', '--nothing-lost', keys)).code).toBe(2);
  const taken = await run('declare-restored', '--nothing-lost', '--json');
  expect(taken.stderr).toBe('');
  expect(JSON.parse(taken.stdout)).toMatchObject({ nothing_lost: true });
  expect(JSON.parse((await run('project', 'list', '--json')).stdout)).toMatchObject([{ stopped_at: null }]);
  await serve(copied);
});

test('an erasure is unfinished until a role that owns the tables rewrites them', async () => {
  const { env, run } = await emptyDatabase();
  const { PERMITRY_DATABASE_URL = '' } = env;
  const { agent_key: agent, secret_key: key } = JSON.parse(
    (await run('init', '--mode', 'test', '--json')).stdout,
  ) as { agent_key: string; secret_key: string };
  const gate = await serve(env);
  const made = await call(`${gate.url}/v1/intents`, agent, REFUND);
  await call(`${gate.url}/v1/intents/${made.body.id}/deny`, key, {});

  const role = `gate_${randomBytes(4).toString('hex')}`;
  const asOwner = (sql: string) => withClient(PERMITRY_DATABASE_URL, (client) => client.query(sql));
  await asOwner(`create role ${role} login password 'gate'`);
  onTestFinished(async () => {
    await asOwner(`drop owned by ${role}`);
    await asOwner(`drop role ${role}`);
  });
  await asOwner(`grant select, insert, update, delete on all tables in schema public to ${role}`);
  await asOwner(`grant usage on all sequences in schema public to ${role}`);
  const served = new URL(PERMITRY_DATABASE_URL);
  Object.assign(served, { username: role, password: 'gate' });
  const asGate = (...args: string[]) =>
    under({ ...env, PERMITRY_DATABASE_URL: served.href }, () => permitry(args));

  const erased = await asGate('erase', '--intent', made.body.id, '--yes');
  expect(erased.code).toBe(0);
  expect(erased.stdout).toContain('Run permitry erase --finish');
  const refused = await asGate('erase', '--finish');
  expect(refused.code).toBe(1);
  expect(refused.stderr).toContain(`Role ${role} does not own the database and its tables`);
  const list = async () => JSON.parse((await asGate('erase', '--unfinished', '--json')).stdout);
  expect(await list()).toMatchObject([{ subject: 'intent', subject_id: made.body.id }]);
  expect((await asGate('erase', '--unfinished')).stdout).toContain(made.body.id);

  // The owner of the tables needs no keys of the gate.
  const finished = await spawnPermitry(['erase', '--finish'], { env: { PERMITRY_DATABASE_URL } });
  expect(finished).toMatchObject({ code: 0, stdout: 'Finished: 1 erasure.\n' });
  expect(finished.stderr).toContain('Rewriting intents\n');
  expect(await list()).toEqual([]);
});

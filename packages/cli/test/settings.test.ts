/** Settings and secrets of the command line. */
import { chmodSync, existsSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openScriptedHttpServer } from '../../server/test/gateway/upstream/scripted-http-server.ts';
import {
  AT_FULL_PRIORITY,
  freshDirectory,
  initialise,
  permitry,
  spawnPermitry,
} from './fixtures/permitry.ts';
import { serveGate } from './fixtures/served-gate.ts';

/** Sets variables for one test. */
function set(env: Record<string, string>): void {
  Object.assign(process.env, env);
  onTestFinished(() => {
    for (const name of Object.keys(env)) delete process.env[name];
  });
}

function fileWith(text: string, mode = 0o600): string {
  const path = `${freshDirectory()}-secret`;
  writeFileSync(path, text);
  chmodSync(path, mode);
  return path;
}

test.each([
  ['serve', ['serve', '--port', '0']],
  ['init', ['init', '--mode', 'test']],
  ['keys list', ['keys', 'list']],
  ['backup', ['backup', '/nowhere/gate.backup']],
])('%s refuses an unknown setting before anything is opened', async (_name, args) => {
  const data = freshDirectory();
  set({ PERMITRY_DATABSE_URL: 'postgres://gate:s3cret@db/permitry' });
  const refused = await permitry([...args, '--data', data]);
  expect(refused).toMatchObject({ code: 2, stdout: '' });
  expect(refused.stderr).toContain(
    'PERMITRY_DATABSE_URL is not a setting. Did you mean PERMITRY_DATABASE_URL?',
  );
  expect(refused.stderr).not.toContain('s3cret');
  expect(existsSync(data)).toBe(false);
});

test('a secret file that others can read causes one warning, as text or JSON', async () => {
  const data = freshDirectory();
  await initialise(data);
  const path = fileWith('a-token-of-prometheus\n', 0o644);
  set({ PERMITRY_METRICS_TOKEN_FILE: path });
  const warning = `PERMITRY_METRICS_TOKEN_FILE: other users may read ${path}; run: chmod 600 ${path}`;
  const listed = await permitry(['keys', 'list', '--data', data]);
  expect(listed).toMatchObject({ code: 0, stderr: `warning: ${warning}\n` });
  const other = fileWith('a-token-of-prometheus\n', 0o644);
  process.env.PERMITRY_METRICS_TOKEN_FILE = other;
  const { stderr } = await permitry(['keys', 'list', '--data', data, '--json']);
  expect(JSON.parse(stderr)).toEqual({ warning: warning.replaceAll(path, other) });
});

test('the key for a gate can come from a file', async () => {
  const t = await serveGate();
  const path = fileWith(`${t.first.agent_key}\n`);
  set({ PERMITRY_KEY_FILE: path });
  expect(await permitry(['whoami', '--url', t.url])).toMatchObject({ code: 0, stderr: '' });
  chmodSync(path, 0o644);
  const warned = await permitry(['whoami', '--url', t.url, '--json']);
  expect(warned.code).toBe(0);
  expect(JSON.parse(warned.stderr)).toEqual({ warning: expect.stringContaining('PERMITRY_KEY_FILE') });
  set({ PERMITRY_KEY: t.first.agent_key });
  const both = await permitry(['whoami', '--url', t.url]);
  expect(both).toMatchObject({ code: 2, stdout: '' });
  expect(both.stderr).toContain('PERMITRY_KEY and PERMITRY_KEY_FILE are both set; keep one.');
});

test('the command does not receive the path of the key file', async () => {
  const t = await serveGate();
  await t.putPolicy([{ name: 'free', match: { action: 'command.run' }, effect: 'allow' }]);
  const tell = 'console.log(Object.keys(process.env).filter((name) => name.startsWith("PERMITRY_")).join())';
  const { code, stdout } = await spawnPermitry(['run', '--', process.execPath, '-e', tell], {
    env: { PERMITRY_URL: t.url, PERMITRY_KEY_FILE: fileWith(t.first.agent_key) },
  });
  expect({ code, stdout }).toEqual({ code: 0, stdout: 'PERMITRY_URL\n' });
});

test('the key of a backup and that of a remote gate can come from files', async () => {
  const data = freshDirectory();
  await initialise(data);
  const file = join(dirname(data), 'gate.backup');
  const env = {
    ...AT_FULL_PRIORITY,
    PERMITRY_BACKUP_KEY_FILE: fileWith('a passphrase that is long enough\n'),
  };
  const made = await spawnPermitry(['backup', file, '--data', data, '--json'], { env });
  expect(JSON.parse(made.stdout)).toMatchObject({ encrypted_to: 'passphrase' });

  const t = await serveGate();
  const policy = fileWith(
    'name: draft\ndefault: { min_approvals: 1, approvers: ["role:approver"] }\nrules: []\n',
  );
  set({ PERMITRY_API_KEY_FILE: fileWith(`${t.first.secret_key}\n`) });
  const simulate = ['policy', 'simulate', policy, '--url', t.url, '--project', t.first.project_id, '--json'];
  expect(await permitry(simulate)).toMatchObject({ code: 0, stderr: '' });
});

test('the secrets of an upstream server can come from files', async () => {
  const data = freshDirectory();
  await initialise(data);
  const server = await openScriptedHttpServer();
  onTestFinished(() => server.close());
  set({ PERMITRY_ALLOW_PRIVATE_TARGETS: '127.0.0.1', NOTES_AUTH_FILE: fileWith('Bearer of-the-server\n') });
  const header = ['--header', 'Authorization=NOTES_AUTH', '--yes'];
  const added = await permitry([
    'upstream',
    'add',
    'notes',
    '--data',
    data,
    '--address',
    server.url,
    ...header,
  ]);
  expect(added).toMatchObject({ code: 0 });
  expect(server.seen.at(-1)?.headers.authorization).toBe('Bearer of-the-server');
});

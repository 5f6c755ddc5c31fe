/** `permitry backup` and `permitry restore`, beside a real server that handles writes meanwhile. */
import { spawn } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  type Answer,
  AT_FULL_PRIORITY,
  BIN,
  call,
  cleanEnvironment,
  finished,
  freshDirectory,
  initialise,
  permitry,
  permitryJson,
  REFUND,
  serve,
  spawnPermitry,
} from './fixtures/permitry.ts';

interface Credentials {
  agent_key: string;
  secret_key: string;
  verifier_key: string;
}

/** The progress of one intent, as far as the gate has answered. */
interface Story {
  id: string;
  token?: string;
  consumed?: true;
}

/** Several clients that request, approve and use. When told to stop, each client finishes what it began. */
function writeTo(url: string, keys: Credentials): { stories: Story[]; stop(): Promise<void> } {
  const stories: Story[] = [];
  let stopping = false;
  async function one(turn: number): Promise<void> {
    const created = await call(`${url}/v1/intents`, keys.agent_key, REFUND);
    expect(created.status).toBe(201);
    const story: Story = { id: created.body.id };
    stories.push(story);
    if (turn % 3 === 0) return;
    const approved = await call(`${url}/v1/intents/${story.id}/approve`, keys.secret_key, {});
    expect(approved.status).toBe(200);
    story.token = approved.body.permit.token;
    if (turn % 3 === 1) return;
    const used = await consume(url, keys.verifier_key, story.token ?? '');
    expect(used.status).toBe(200);
    story.consumed = true;
  }
  const clients = Array.from({ length: 8 }, async (_, client) => {
    for (let turn = client; !stopping; turn += 1) await one(turn);
  });
  return {
    stories,
    async stop() {
      stopping = true;
      await Promise.all(clients);
    },
  };
}

function consume(url: string, key: string, token: string): Promise<Answer> {
  return call(`${url}/v1/permits/validate`, key, { token, ...REFUND, consume: true });
}

/** On surface A. */
function consumeA(url: string, key: string, permit_token: string): Promise<Answer> {
  const { action, params: context } = REFUND;
  return call(`${url}/api/intents/permit/verify`, key, { permit_token, action, context, consume: true });
}

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
}

async function keyPair(folder: string): Promise<{ identity: string; recipient: string }> {
  mkdirSync(folder, { recursive: true });
  const identity = join(folder, 'identity.txt');
  const { stdout, code } = await permitry(['backup', 'keygen', '--out', identity]);
  expect(code).toBe(0);
  const recipient = join(folder, 'recipient.txt');
  writeFileSync(recipient, stdout);
  return { identity, recipient };
}

interface BackupAnswer {
  file: string;
  bytes: number;
  sha256: string;
  created_at: string;
  encrypted_to: string | null;
  private_keys: string;
  projects: { id: string; seq: number; hash: string; head: string }[];
}

test('a backup under load keeps every acknowledged change, keeps used permits used, and revokes old approvals', async () => {
  const data = freshDirectory();
  const keys = await initialise(data);
  const { identity, recipient } = await keyPair(dirname(data));
  const lost = await serve(data, '--rate-limit', '0');
  const load = writeTo(lost.url, keys);
  await until(() => load.stories.filter(({ consumed }) => consumed).length >= 20);

  const acknowledged = load.stories.map((story) => ({ ...story }));
  const file = join(dirname(data), 'gate.backup');
  const made = await spawnPermitry(['backup', file, '--data', data, '--key-file', recipient, '--json'], {
    env: AT_FULL_PRIORITY,
  });
  expect(made).toMatchObject({ code: 0, stderr: '' });
  const backup = JSON.parse(made.stdout) as BackupAnswer;
  expect(backup).toMatchObject({ encrypted_to: 'recipients', private_keys: 'in_clear' });
  const meanwhile = load.stories.length;
  await until(() => load.stories.length >= meanwhile + 30);
  await load.stop();
  expect(load.stories.length).toBeGreaterThan(acknowledged.length);
  const exported = join(dirname(data), 'lost.jsonl');
  expect((await permitry(['audit', 'export', '--data', data, '--out', exported])).code).toBe(0);
  lost.child.kill('SIGKILL');
  await lost.ended;

  const restoredTo = join(dirname(data), 'restored');
  const args = [
    'restore',
    file,
    '--data',
    restoredTo,
    '--key-file',
    identity,
    '--keep-keys',
    '--since',
    exported,
  ];
  const restored = await permitryJson<{
    projects: { lacks: number; approvals_revoked: number; stopped: boolean }[];
  }>(...args, '--sha256', backup.sha256);
  expect(restored.projects[0]).toMatchObject({ stopped: true });
  expect(restored.projects[0]?.lacks).toBeGreaterThan(0);
  expect(restored.projects[0]?.approvals_revoked).toBeGreaterThan(0);
  await permitryJson('project', 'start', '--data', restoredTo);
  const { url } = await serve(restoredTo, '--base-url', lost.baseUrl, '--rate-limit', '0');

  for (const story of acknowledged) {
    const { status, body } = await call(`${url}/v1/intents/${story.id}`, keys.agent_key);
    expect(status).toBe(200);
    if (story.token !== undefined)
      expect(body).toMatchObject({ status: 'approved', permit: { token: story.token } });
  }
  let used = 0;
  for (const { id, token } of load.stories) {
    if (token === undefined) continue;
    const { body } = await call(`${url}/v1/intents/${id}`, keys.agent_key);
    // The copy may or may not know about uses during the backup. The permit is refused either way.
    const [b, a] = [
      await consume(url, keys.verifier_key, token),
      await consumeA(url, keys.verifier_key, token),
    ];
    expect([b.status, a.status]).toEqual([400, 400]);
    expect(b.body.error.code).toBe('permit_invalid');
    expect(a.body.error).toMatchObject({ code: 'INVALID_PERMIT', reason: b.body.error.reason });
    const wasAcknowledged = acknowledged.some((story) => story.id === id && story.consumed);
    if (wasAcknowledged) expect(b.body.error.reason).toBe('already_used');
    expect(['already_used', 'revoked']).toContain(b.body.error.reason);
    if (b.body.error.reason === 'already_used') used += 1;
    else if (body.status === 'approved') {
      const again = await call(`${url}/v1/intents/${id}/permit`, keys.agent_key, {});
      expect(again).toMatchObject({
        status: 400,
        body: { error: { code: 'permit_invalid', reason: 'revoked' } },
      });
    }
  }
  expect(used).toBeGreaterThanOrEqual(acknowledged.filter(({ consumed }) => consumed).length);

  const asked = await call(`${url}/v1/intents`, keys.agent_key, REFUND);
  const fresh = await call(`${url}/v1/intents/${asked.body.id}/approve`, keys.secret_key, {});
  expect(await consume(url, keys.verifier_key, fresh.body.permit.token)).toMatchObject({
    status: 200,
    body: { authorizes: true, consumed: true },
  });

  const now = join(dirname(data), 'now.jsonl');
  expect((await permitry(['audit', 'export', '--data', restoredTo, '--out', now])).code).toBe(0);
  const head = `${backup.projects[0]?.seq}:${backup.projects[0]?.hash}`;
  expect(await permitry(['audit', 'verify', now, '--since', head])).toMatchObject({ code: 0 });
  // The head of the lost history is not part of this history. The answer says at which record the two diverge.
  const forked = await permitry(['audit', 'verify', now, '--since', exported]);
  expect(forked.code).toBe(1);
  expect(forked.stdout).toContain('reports a restore from a backup');
});

describe('permitry backup', () => {
  test('tells people what was written and what to do with it', async () => {
    const data = freshDirectory();
    await initialise(data);
    const file = join(dirname(data), 'gate.backup');
    const { identity, recipient } = await keyPair(dirname(data));
    expect(statSync(identity).mode & 0o777).toBe(0o600);
    const { code, stdout, stderr } = await permitry([
      'backup',
      file,
      '--data',
      data,
      '--key-file',
      recipient,
    ]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toMatch(
      /^Wrote .*gate\.backup: [\d.]*[1-9][\d.]* [kM]B, encrypted to a public key, as of 20/,
    );
    expect(stdout).toMatch(
      / {2}project prj_\w+ "First project"\n +head \d+:sha256:[0-9a-f]{64}\n {2}sha256 {2}[0-9a-f]{64}\n/,
    );
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const verified = await permitry(['backup', 'verify', file, '--key-file', identity]);
    expect(verified.code).toBe(0);
    expect(verified.stdout).toMatch(/^valid .*encrypted\n/);
  });

  test('takes a key from a variable, and takes a passphrase', async () => {
    const data = freshDirectory();
    await initialise(data);
    const file = join(dirname(data), 'gate.backup');
    const env = { ...AT_FULL_PRIORITY, PERMITRY_BACKUP_KEY: 'a passphrase that is long enough' };
    const made = await spawnPermitry(['backup', file, '--data', data, '--json'], { env });
    expect(made).toMatchObject({ code: 0, stderr: '' });
    expect(JSON.parse(made.stdout)).toMatchObject({ encrypted_to: 'passphrase' });
    const read = await spawnPermitry(['backup', 'verify', file, '--json'], { env });
    expect(JSON.parse(read.stdout)).toMatchObject({ valid: true, encrypted: true });
    const wrong = await spawnPermitry(['backup', 'verify', file], {
      env: { ...env, PERMITRY_BACKUP_KEY: 'some other passphrase' },
    });
    expect(wrong).toMatchObject({ code: 2, stdout: '' });
    expect(wrong.stderr).toContain('does not open this backup');
  });

  test('requires a flag about the private signing keys if there is no key', async () => {
    const data = freshDirectory();
    await initialise(data);
    const file = join(dirname(data), 'gate.backup');
    const refused = await permitry(['backup', file, '--data', data]);
    expect(refused).toMatchObject({ code: 2, stdout: '' });
    for (const way of ['--key-file', '--public-keys-only', '--with-plain-keys'])
      expect(refused.stderr).toContain(way);
    expect(existsSync(file)).toBe(false);
    for (const [flag, answer] of [
      ['--with-plain-keys', 'in_clear'],
      ['--public-keys-only', 'left_out'],
    ] as const) {
      const made = await permitryJson<BackupAnswer>('backup', `${file}${flag}`, '--data', data, flag);
      expect(made).toMatchObject({ encrypted_to: null, private_keys: answer });
    }
    const both = await permitry([
      'backup',
      `${file}2`,
      '--data',
      data,
      '--with-plain-keys',
      '--public-keys-only',
    ]);
    expect(both.code).toBe(2);
  });

  test('exits with 2 for a directory without a gate, an existing file, or a key that others can read', async () => {
    const data = freshDirectory();
    await initialise(data);
    const { identity } = await keyPair(dirname(data));
    const file = join(dirname(data), 'gate.backup');
    const nowhere = await permitry([
      'backup',
      file,
      '--data',
      `${data}-nowhere`,
      '--with-plain-keys',
      '--json',
    ]);
    expect(nowhere.code).toBe(2);
    expect(JSON.parse(nowhere.stderr)).toMatchObject({ error: { code: 'no_gate' } });
    writeFileSync(file, 'mine');
    expect((await permitry(['backup', file, '--data', data, '--key-file', identity])).code).toBe(2);
    expect(readFileSync(file, 'utf8')).toBe('mine');
    chmodSync(identity, 0o644);
    const open = await permitry(['backup', `${file}2`, '--data', data, '--key-file', identity]);
    expect(open).toMatchObject({ code: 2, stderr: expect.stringContaining('chmod 600') });
    expect(
      (await permitry(['backup', `${file}2`, '--data', data, '--key-file', `${identity}-none`])).code,
    ).toBe(2);
    expect((await permitry(['backup', 'keygen', '--out', identity])).code).toBe(2);
  });

  test('leaves nothing behind when it is interrupted', async () => {
    const data = freshDirectory();
    await initialise(data);
    const file = join(dirname(data), 'gate.backup');
    const child = spawn(process.execPath, [BIN, 'backup', file, '--data', data, '--with-plain-keys'], {
      env: cleanEnvironment(AT_FULL_PRIORITY),
    });
    const ended = finished(child);
    onTestFinished(() => void child.kill('SIGKILL'));
    await until(
      () => readdirSync(data).some((name) => name.startsWith('.backup-')) || child.exitCode !== null,
    );
    child.kill('SIGTERM');
    const { code } = await ended;
    expect(readdirSync(data).filter((name) => name.startsWith('.backup-'))).toEqual([]);
    // The backup may have finished already.
    expect(readdirSync(dirname(file)).filter((name) => name.startsWith('gate.backup'))).toEqual(
      code === 0 ? ['gate.backup'] : [],
    );
  });
});

describe('permitry restore', () => {
  async function aBackup(): Promise<{ data: string; file: string; sha256: string }> {
    const data = freshDirectory();
    await initialise(data);
    const file = join(dirname(data), 'gate.backup');
    const { sha256 } = await permitryJson<BackupAnswer>('backup', file, '--data', data, '--with-plain-keys');
    return { data, file, sha256 };
  }

  test('requires a flag about API keys, because revoked ones would work again', async () => {
    const { data, file } = await aBackup();
    const target = `${data}-restored`;
    const refused = await permitry(['restore', file, '--data', target]);
    expect(refused.code).toBe(2);
    expect(refused.stderr).toContain('--revoke-keys');
    expect(existsSync(target)).toBe(false);
    const done = await permitry(['restore', file, '--data', target, '--revoke-keys']);
    expect(done).toMatchObject({ code: 0, stderr: '' });
    expect(done.stdout).toContain('Revoked 3 keys');
    expect(done.stdout).toContain(`permitry project start --data ${target}`);
    const keys = await permitryJson<{ revoked_at: string | null }[]>('keys', 'list', '--data', target);
    expect(keys.map(({ revoked_at }) => typeof revoked_at)).toEqual(['string', 'string', 'string']);
    const projects = await permitryJson<{ stopped: boolean }[]>('project', 'list', '--data', target);
    expect(projects).toMatchObject([{ stopped: true }]);
  });

  test('writes nothing for a directory in use, a wrong digest, or a file that is not a backup', async () => {
    const { data, file, sha256 } = await aBackup();
    const into = (...args: string[]) => permitry(['restore', ...args, '--keep-keys', '--json']);
    const codeOf = ({ stderr }: { stderr: string }) =>
      (JSON.parse(stderr) as { error: { code: string } }).error.code;
    const inUse = await into(file, '--data', data);
    expect([inUse.code, codeOf(inUse)]).toEqual([2, 'usage']);
    const target = `${data}-restored`;
    const other = await into(file, '--data', target, '--sha256', sha256.replaceAll(/[0-9]/g, '0'));
    expect([other.code, codeOf(other)]).toEqual([1, 'refused']);
    expect((await into(file, '--data', target, '--sha256', 'short')).code).toBe(2);
    const none = join(dirname(data), 'none');
    expect((await into(none, '--data', target)).code).toBe(2);
    writeFileSync(none, 'no backup at all');
    const damaged = await into(none, '--data', target);
    expect([damaged.code, codeOf(damaged)]).toEqual([1, 'refused']);
    expect(existsSync(target)).toBe(false);
  });

  test('takes over a directory that another tool restored, with --in-place and no file', async () => {
    const { data, file } = await aBackup();
    const adopted = await permitry(['restore', '--in-place', '--data', data, '--revoke-keys']);
    expect(adopted).toMatchObject({ code: 0, stderr: '' });
    expect(adopted.stdout).toMatch(/^Taken over .*\n {2}"First project" is stopped; 0 unused approvals/);
    expect(adopted.stdout).toContain('Revoked 3 keys');
    expect((await permitry(['restore', file, '--in-place', '--data', data, '--keep-keys'])).code).toBe(2);
    expect((await permitry(['restore', '--data', data, '--keep-keys'])).code).toBe(2);
    const none = await permitry(['restore', '--in-place', '--data', `${data}-none`, '--keep-keys', '--json']);
    expect(none.code).toBe(2);
    expect(existsSync(`${data}-none`)).toBe(false);
  });
});

import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  BIN,
  cleanEnvironment,
  type Finished,
  finished,
  freshDirectory,
  permitry,
  spawnPermitry,
} from './fixtures/permitry.ts';
import { type ServedGate, serveGate } from './fixtures/served-gate.ts';

/** A separate home directory for profiles, and commands that use it. */
function home() {
  const config = freshDirectory();
  const path = join(config, 'permitry', 'profiles.json');
  return {
    config,
    path,
    async run(...args: string[]): Promise<Finished> {
      const before = process.env.XDG_CONFIG_HOME;
      process.env.XDG_CONFIG_HOME = config;
      try {
        return await permitry(args);
      } finally {
        if (before === undefined) delete process.env.XDG_CONFIG_HOME;
        else process.env.XDG_CONFIG_HOME = before;
      }
    },
    write(file: unknown, mode = 0o600) {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, typeof file === 'string' ? file : JSON.stringify(file), { mode });
      chmodSync(path, mode);
    },
    read: () =>
      JSON.parse(readFileSync(path, 'utf8')) as {
        current: string;
        profiles: Record<string, { token: string }>;
      },
  };
}

/** Starts a sign-in in a separate process, and answers it in a browser. */
async function pair(t: ServedGate, config: string, decision: 'approve' | 'deny', ...flags: string[]) {
  const env = cleanEnvironment({ XDG_CONFIG_HOME: config });
  const child = spawn(process.execPath, [BIN, 'login', t.url, '--json', ...flags], { env });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = finished(child);
  const line = await new Promise<string>((resolve) => child.stdout.once('data', resolve));
  const { user_code } = JSON.parse(line) as { user_code: string };
  const ann = await t.addBrowser(`${decision}@example.org`, 'approver');
  // A person must confirm their identity before they let a program decide.
  await t.gate.storage.transaction((tx) => tx.confirmSession(ann.sessionId, t.gate.clock.now()));
  const post = async (path: string, body: object): Promise<{ id: string }> => {
    const headers = { ...ann.headers, 'content-type': 'application/json' };
    const answer = await fetch(`${t.url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`${path} was answered ${answer.status}: ${await answer.text()}`);
    return (await answer.json()) as { id: string };
  };
  const { id } = await post('/console/pairings/look', { user_code });
  await post('/console/pairings/confirm', { id, user_code, decision });
  return ended;
}

describe('permitry login', () => {
  test('signs in with a code confirmed in the browser; if it is denied there, nothing is stored', async () => {
    const t = await serveGate();
    const { config, path, run, read } = home();
    const refused = home();
    const [signedIn, denied] = await Promise.all([
      pair(t, config, 'approve', '--allow-decide', '--expires-in', '4h'),
      pair(t, refused.config, 'deny'),
    ]);
    expect(denied.code).toBe(1);
    expect(JSON.parse(denied.stderr)).toMatchObject({
      error: { message: expect.stringContaining('denied') },
    });
    expect(await refused.run('whoami', '--url', t.url)).toMatchObject({ code: 2 });

    expect(signedIn.code).toBe(0);
    const [, last = ''] = signedIn.stdout.trimEnd().split('\n');
    expect(JSON.parse(last)).toMatchObject({
      status: 'approved',
      email: 'approve@example.org',
      rights: ['decide'],
    });
    expect(signedIn.stdout).not.toContain('prm_user');
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(dirname(path)).mode & 0o777).toBe(0o700);
    expect(Object.keys(read().profiles)).toEqual([t.url]);

    expect(await run('whoami')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/approve@example\.org at http.*signed in\nMay read and decide/),
    });
    const status = await run('status', '--json');
    expect(JSON.parse(status.stdout)).toMatchObject({ kind: 'user', url: t.url, from: 'file' });
    const id = await t.ask('deploy');
    // Approving in live mode also requires a device key.
    expect((await run('deny', id, '--yes')).code).toBe(0);
    expect((await t.gate.storage.read.findIntent(id))?.status).toBe('denied');

    const { token = '' } = read().profiles[t.url] ?? {};
    expect((await run('logout')).stdout).toBe(`Signed out of ${t.url}.\n`);
    await expect(t.get(token, '/v1/me')).rejects.toThrow('401');
    expect(read()).toEqual({ current: null, profiles: {} });
    expect(await run('whoami', '--url', t.url)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining(`permitry login ${t.url}`),
    });
    // No gate was named, and the command does not guess one.
    const nobody = await run('inbox');
    expect(nobody).toMatchObject({ code: 2, stderr: expect.stringContaining('Nobody is signed in') });
    expect(nobody.stderr).not.toContain('localhost');
  });

  test('takes a token from stdin and tries it at the gate first', async () => {
    const t = await serveGate();
    const { config, read } = home();
    const bob = await t.addPerson('bob@example.org', 'viewer', []);
    const login = (stdin: string) =>
      spawnPermitry(['login', t.url, '--with-token'], { stdin, env: { XDG_CONFIG_HOME: config } });
    expect((await login(`${bob.slice(0, -1)}0\n`)).code).toBeGreaterThan(0);
    const { code, stdout } = await login(`${bob}\n`);
    expect({ code, stdout }).toMatchObject({ code: 0, stdout: expect.stringContaining('bob@example.org') });
    expect(read().profiles[t.url]?.token).toBe(bob);
  });

  test('signs in to the last gate if no address is given', async () => {
    const { run, write } = home();
    const here = 'http://127.0.0.1:9';
    write({ current: here, profiles: {} });
    for (const again of [['login'], ['login', '--url', here]]) {
      expect(await run(...again)).toMatchObject({
        code: 1,
        stderr: expect.stringContaining(`Cannot reach ${here}`),
      });
    }
  });
});

describe('the profiles file', () => {
  const TOKEN = { token: 'prm_user_x', email: 'ann@example.org', rights: [], expires_at: null };
  const HERE = 'http://127.0.0.1:9';

  test('is not used if others can read it, or if it is not a profiles file', async () => {
    const { run, write } = home();
    for (const mode of [0o640, 0o604, 0o620]) {
      write({ current: HERE, profiles: { [HERE]: TOKEN } }, mode);
      expect(await run('whoami')).toMatchObject({ code: 2, stderr: expect.stringContaining('chmod 600') });
    }
    for (const text of [
      '',
      '{',
      '[]',
      '{"current":1,"profiles":{}}',
      '{"current":null,"profiles":{"x":{}}}',
    ]) {
      write(text);
      expect(await run('whoami'), text).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('not a Permitry profiles file'),
      });
    }
  });

  test('holds several gates, chosen by a flag, and reports an expired sign-in', async () => {
    const t = await serveGate();
    const ann = await t.addPerson('ann@example.org', 'approver');
    const { run, write } = home();
    const over = '2020-01-01T00:00:00.000Z';
    write({
      current: HERE,
      profiles: { [t.url]: { ...TOKEN, token: ann }, [HERE]: { ...TOKEN, expires_at: over } },
    });
    expect((await run('whoami', '--url', `${t.url}/v1/`)).stdout).toContain('ann@example.org');
    expect(await run('whoami')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`expired: ${over}`),
    });
    expect(await run('whoami', '--url', 'ftp://x')).toMatchObject({ code: 2 });

    const away = { ...TOKEN, token: ann.replace(/.$/, (last) => (last === 'a' ? 'b' : 'a')) };
    write({ current: t.url, profiles: { [t.url]: { ...TOKEN, token: ann }, [HERE]: away } });
    const out = await run('logout', '--all', '--json');
    expect(JSON.parse(out.stdout)).toEqual({
      signed_out: [
        { url: t.url, revoked: true },
        { url: HERE, revoked: false },
      ],
    });
    expect(await run('whoami', '--url', t.url)).toMatchObject({ code: 2 });
  });

  test('does not decide where a key from the environment is sent', async () => {
    const t = await serveGate();
    const { run, write } = home();
    const seen: (string | null)[] = [];
    // Somebody signed in there, but the key in the environment is not for that gate.
    write({ current: t.url, profiles: { [t.url]: TOKEN } });
    process.env.PERMITRY_KEY = t.first.agent_key;
    onTestFinished(() => {
      delete process.env.PERMITRY_KEY;
    });
    const original = globalThis.fetch;
    globalThis.fetch = async (input) => {
      seen.push(String(input instanceof Request ? input.url : input));
      throw new TypeError('no network here');
    };
    onTestFinished(() => {
      globalThis.fetch = original;
    });
    expect((await run('whoami')).code).toBe(1);
    expect(seen).toEqual(['http://localhost:8787/v1/me']);
    expect((await run('whoami', '--url', 'http://gate.example.org')).stderr).toContain('is not encrypted');
    expect((await run('whoami', '--url', 'https://gate.example.org')).stderr).not.toContain(
      'is not encrypted',
    );
    process.env.PERMITRY_KEY = 'secret';
    expect(await run('whoami')).toMatchObject({ code: 2, stderr: expect.not.stringContaining('secret\n') });
  });
});

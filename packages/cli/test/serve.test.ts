import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmdirSync, statSync } from 'node:fs';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import {
  BIN,
  call,
  cleanEnvironment,
  finished,
  freshDirectory,
  initialise,
  permitry,
  permitryJson,
  REFUND,
  readCredentials,
  serve,
  serveWith,
  spawnPermitry,
  withUnshownKeys,
} from './fixtures/permitry.ts';

describe('permitry serve', () => {
  test('writes the credentials of an empty directory to a private file if there is no terminal', async () => {
    const data = freshDirectory();
    const { url, credentialsFile } = await serve(data);

    expect(credentialsFile).toBe(join(data, 'credentials.json'));
    expect(statSync(credentialsFile ?? '').mode & 0o777).toBe(0o600);
    const { agent_key, mode } = readCredentials(credentialsFile ?? '');
    expect(mode).toBe('test');
    expect((await call(`${url}/v1/intents`, agent_key, REFUND)).status).toBe(201);
  });

  test('serves every step: create, approve, collect, verify, and refuse a changed action', async () => {
    const data = freshDirectory();
    const { agent_key, secret_key, verifier_key } = await initialise(data);
    const { url, credentialsFile } = await serve(data);
    expect(credentialsFile).toBeNull();

    const created = await call(`${url}/v1/intents`, agent_key, REFUND);
    expect(created).toMatchObject({ status: 201, body: { status: 'pending' } });
    const intent = `${url}/v1/intents/${created.body.id}`;
    expect((await call(`${intent}/approve`, secret_key, {})).body.status).toBe('approved');
    const token = (await call(intent, agent_key)).body.permit.token;

    const valid = await call(`${url}/v1/permits/validate`, verifier_key, { token, ...REFUND });
    expect(valid).toMatchObject({ status: 200, body: { valid: true } });
    const changed = { token, ...REFUND, params: { order: 'A-1', amount: 1200 } };
    const refused = await call(`${url}/v1/permits/validate`, verifier_key, changed);
    expect(refused).toMatchObject({
      status: 400,
      body: { error: { code: 'permit_invalid', reason: 'params_mismatch' } },
    });
  });

  test('answers a request under way after SIGTERM, and exits with 0', async () => {
    const data = freshDirectory();
    const { agent_key } = await initialise(data);
    const { url, child, ended } = await serve(data);
    const created = await call(`${url}/v1/intents`, agent_key, REFUND);

    const waiting = call(`${url}/v1/intents/${created.body.id}?wait=60`, agent_key);
    // This answer comes after the server took up the waiting request, because it reads requests in order of arrival.
    await call(`${url}/v1/intents/${created.body.id}`, agent_key);
    child.kill('SIGTERM');

    expect(await waiting).toMatchObject({ status: 200, body: { status: 'pending' } });
    expect(await ended).toMatchObject({ code: 0, stderr: expect.stringContaining('stopping') });
    await expect(fetch(`${url}/healthz`)).rejects.toThrow();
  });

  test('with a drain delay, keeps serving after SIGTERM and reports that it is not ready; an unreachable collector delays nothing', async () => {
    const data = freshDirectory();
    const { agent_key } = await initialise(data);
    // The drain lasts long enough to observe the gate on any machine.
    const { url, child } = await serveWith({ PERMITRY_DRAIN_DELAY_SECONDS: '60' }, data);
    const stopping = textOn(child.stderr, 'stopping');
    child.kill('SIGTERM');
    await stopping;
    const ready = await fetch(`${url}/readyz`);
    expect([ready.status, await ready.json()]).toEqual([503, { status: 'draining' }]);
    expect(ready.headers.get('connection')).toBe('close');
    expect((await call(`${url}/v1/intents`, agent_key, REFUND)).status).toBe(201);

    const env = { PERMITRY_DRAIN_DELAY_SECONDS: '1', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' };
    const short = await serveWith(env, freshDirectory());
    short.child.kill('SIGTERM');
    expect(await short.ended).toMatchObject({ code: 0, stderr: expect.not.stringContaining('too long') });
  });

  test('exits with 1 at a second signal; two signals at the same moment count as one', async () => {
    const data = freshDirectory();
    const { secret_key } = await initialise(data);
    // Without a second signal, the gate would keep serving for a minute.
    const { url, child, ended } = await serveWith({ PERMITRY_DRAIN_DELAY_SECONDS: '60' }, data);
    const { hostname, port } = new URL(url);
    // A request that never ends: the server would wait four more seconds for it.
    const hanging = connect(Number(port), hostname).on('error', () => undefined);
    hanging.write(
      `POST /v1/intents HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secret_key}\r\nContent-Length: 9\r\n\r\n{`,
    );
    await call(`${url}/v1/intents/int_00000000000000000000000000`, secret_key);

    const stopping = textOn(child.stderr, 'stopping');
    // Sends both signals while the process is stopped, so that they arrive at the same instant.
    child.kill('SIGSTOP');
    child.kill('SIGINT');
    child.kill('SIGTERM');
    child.kill('SIGCONT');
    await stopping;
    expect((await fetch(`${url}/readyz`)).status).toBe(503);
    expect(child.exitCode).toBeNull();
    // Signals right after the first one count as the same one.
    await expect
      .poll(
        () => {
          child.kill('SIGTERM');
          return child.exitCode;
        },
        { interval: 100 },
      )
      .toBe(1);

    expect(await ended).toMatchObject({ code: 1, stderr: expect.stringContaining('forced') });
    hanging.destroy();
  });

  test('refuses a second server on the same directory, and the first keeps running', async () => {
    const data = freshDirectory();
    const { agent_key } = await initialise(data);
    const { url } = await serve(data);

    const second = await spawnPermitry(['serve', '--data', data, '--port', '0']);

    expect(second).toMatchObject({ code: 1, stdout: '' });
    expect(second.stderr).toBe(
      `permitry: Another server is serving ${data} already; stop it first, or use another --data.\n`,
    );
    expect((await call(`${url}/v1/intents`, agent_key, REFUND)).status).toBe(201);
  });

  test('shows its base URL, and where else it listens', async () => {
    const [plain, named] = await Promise.all([
      serve(freshDirectory()),
      serve(freshDirectory(), '--base-url', 'https://gate.example.org'),
    ]);
    expect(plain.baseUrl).toBe(plain.url.replace('127.0.0.1', 'localhost'));
    expect(named.baseUrl).toBe('https://gate.example.org');
    const { agent_key } = readCredentials(named.credentialsFile ?? '');
    const { body } = await call(`${named.url}/v1/intents`, agent_key, REFUND);
    expect(body.approval_url).toMatch(/^https:\/\/gate\.example\.org\//);
  });

  test('prints JSON lines on stdout without a terminal, one of which names the file of the keys', async () => {
    const data = freshDirectory();
    const flags = ['--port', '0', '--log-level', 'error', '--base-url', 'https://gate.example.org'];
    const child = spawn(process.execPath, [BIN, 'serve', '--data', data, ...flags], {
      env: cleanEnvironment(),
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const ended = finished(child);
    const said = await textOn(child.stderr, 'SIGTERM stops it');
    child.kill('SIGTERM');

    const { code, stdout } = await ended;
    expect(code).toBe(0);
    expect(said).toMatch(
      /listening on https:\/\/gate\.example\.org \(here: http:\/\/127\.0\.0\.1:\d+\), docs at https:/,
    );
    const path = join(data, 'credentials.json');
    expect(stdout.trimEnd().split('\n').map(parseLine)).toEqual([
      {
        level: 'info',
        time: expect.any(String),
        credentials_file: path,
        msg: expect.stringContaining(path),
      },
    ]);
    const kept = readCredentials(path) as unknown as Record<string, string>;
    expect(kept.mode).toBe('test');
    expect(kept.set_up_url).toMatch(/^https:\/\/gate\.example\.org\/set-up#[A-Za-z0-9_-]{43}$/);
    // Too many people read a log, so only the file holds the link.
    expect(said + stdout).not.toContain('set-up#');
  });

  test('shows the set-up link once; later starts keep it valid, and set-up creates a new one', async () => {
    const data = freshDirectory();
    const first = await serve(data);
    const kept = readCredentials(first.credentialsFile ?? '') as unknown as { set_up_url: string };
    const stop = async ({ child, ended }: Awaited<ReturnType<typeof serve>>) => {
      child.kill('SIGTERM');
      return (await ended).stderr + (await ended).stdout;
    };
    expect(await stop(first)).not.toContain('set-up#');

    const second = await spawnQuietly(data);
    expect(second.said).toContain(
      `permitry: Nobody can sign in yet. Create a set-up link with: permitry set-up --data ${data}\n`,
    );
    expect(second.said).not.toContain('set-up#');
    expect((await look(second.url, kept.set_up_url)).status).toBe(200);

    const { set_up_url: fresh } = await permitryJson<{ set_up_url: string }>('set-up', '--data', data);
    expect(new URL(fresh).origin).toBe(second.baseUrl);
    expect((await look(second.url, kept.set_up_url)).status).toBe(404);
    expect((await look(second.url, fresh)).status).toBe(200);
    const shown = await permitry(['set-up', '--data', data, '--base-url', 'https://gate.example.org']);
    const [last = ''] = /https:\/\/gate\.example\.org\/set-up#\S{43}/.exec(shown.stdout) ?? [];
    const claimed = await fetch(`${second.url}/console/set-up`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', origin: second.baseUrl },
      body: JSON.stringify({
        token: last.split('#')[1],
        email: 'ann@example.org',
        name: 'Ann',
        password: 'four tame herons dance',
      }),
    });
    expect(claimed.status).toBe(200);
    expect(await permitry(['set-up', '--data', data])).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('already set up'),
    });
    await second.stop();
    const third = await spawnQuietly(data);
    expect(third.said).not.toContain('Nobody can sign in');
    await third.stop();
  });

  test('writes keys that no start has shown to the file if there is no terminal', async () => {
    const data = freshDirectory();
    const { unshown, credentials } = await withUnshownKeys(data);
    const { credentialsFile } = await serve(data);
    expect(readCredentials(credentialsFile ?? '')).toMatchObject(credentials);
    expect(readCredentials(credentialsFile ?? '')).toHaveProperty('set_up_url', expect.stringContaining('#'));
    expect(existsSync(unshown)).toBe(false);
  });

  test('loses no keys if the first start cannot write their file: the next start writes it', async () => {
    const data = freshDirectory();
    const path = join(data, 'credentials.json');
    // A directory at this path blocks the file.
    mkdirSync(path, { recursive: true, mode: 0o700 });
    const failed = await spawnPermitry(['serve', '--data', data, '--port', '0']);
    expect(failed).toMatchObject({ code: 1, stderr: expect.stringContaining('Nothing is lost') });
    const isUnshown = (name: string) => name.startsWith('unshown-credentials-');
    expect(readdirSync(data).filter(isUnshown)).toHaveLength(1);

    rmdirSync(path);
    const { url, credentialsFile } = await serve(data);
    const { agent_key } = readCredentials(credentialsFile ?? '');
    expect((await call(`${url}/v1/intents`, agent_key, REFUND)).status).toBe(201);
    expect(readdirSync(data).filter(isUnshown)).toEqual([]);
  });

  test('explains that a port is in use, and creates nothing', async () => {
    const data = freshDirectory();
    const other = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => other.once('listening', resolve));
    const { port } = other.address() as AddressInfo;

    const { code, stderr } = await spawnPermitry(['serve', '--data', data, '--port', String(port)]);
    other.close();

    expect(code).toBe(1);
    expect(stderr).toContain(`Port ${port} on 127.0.0.1 is already in use`);
    expect(existsSync(data)).toBe(false);
  });

  test('reads settings from variables, and flags take precedence', async () => {
    const data = freshDirectory();
    const variables = { PERMITRY_DATA: data, PERMITRY_PORT: 'http', PERMITRY_LOG_LEVEL: 'loud' };
    const byVariable = await spawnPermitry(['serve'], { env: variables });
    expect(byVariable).toMatchObject({ code: 2, stdout: '' });
    expect(byVariable.stderr).toContain('PERMITRY_PORT must be');
    expect(byVariable.stderr).toContain('PERMITRY_LOG_LEVEL must be');

    const byFlag = await spawnPermitry(['serve', '--port', '99999', '--log-level', 'warn'], {
      env: variables,
    });
    expect(byFlag.code).toBe(2);
    expect(byFlag.stderr).toContain('--port must be');
    expect(byFlag.stderr).not.toContain('LOG_LEVEL');
  });

  test('warns if a live project is served to other machines without https', async () => {
    const data = freshDirectory();
    await permitryJson('init', '--data', data, '--mode', 'live');

    const open = await serve(data, '--host', '0.0.0.0');
    open.child.kill('SIGTERM');
    const { stderr } = await open.ended;
    expect(stderr).toContain('warning: a project in live mode is served to other machines');
    expect(stderr).toContain(`warning: approval links and permits contain ${open.baseUrl}`);

    const behindTls = await serve(data, '--host', '0.0.0.0', '--base-url', 'https://gate.example.org');
    behindTls.child.kill('SIGTERM');
    expect((await behindTls.ended).stderr).not.toContain('warning');
  });
});

describe('commands beside a running server', () => {
  test('a revoked key is refused at the next request', async () => {
    const data = freshDirectory();
    const { agent_key } = await initialise(data);
    const { url } = await serve(data);
    expect((await call(`${url}/v1/intents`, agent_key, REFUND)).status).toBe(201);
    const keys = await permitryJson<{ id: string; kind: string }[]>('keys', 'list', '--data', data);
    const id = keys.find(({ kind }) => kind === 'agent')?.id ?? '';

    await permitryJson('keys', 'revoke', id, '--data', data);

    expect((await call(`${url}/v1/intents`, agent_key, REFUND)).status).toBe(401);
  });

  test('a paused agent, a stopped project and a new policy take effect at the next request', async () => {
    const data = freshDirectory();
    const { agent_key, secret_key } = await initialise(data);
    const { url } = await serve(data);
    const intents = `${url}/v1/intents`;
    const create = () => call(intents, agent_key, REFUND);
    expect((await create()).status).toBe(201);

    await permitryJson('agent', 'pause', 'first-agent', '--data', data);
    expect((await create()).body.error.code).toBe('agent_paused');
    await permitryJson('agent', 'resume', 'first-agent', '--data', data);
    expect((await create()).status).toBe(201);

    const limited = await permitry(['project', 'rate-limit', '7', '--data', data]);
    expect(limited.stdout).toBe('Project "First project" accepts 7 API requests per minute.\n');
    const headers = { authorization: `Bearer ${agent_key}` };
    expect((await fetch(`${intents}/int_x`, { headers })).headers.get('x-ratelimit-limit')).toBe('7');
    expect(await permitryJson('project', 'rate-limit', 'default', '--data', data)).toMatchObject({
      rate_limit_per_minute: null,
    });

    await permitryJson('project', 'stop', '--data', data);
    expect((await call(intents, secret_key, REFUND)).body.error.code).toBe('project_stopped');
    await permitryJson('project', 'start', '--data', data);
    expect((await create()).status).toBe(201);

    const policy = {
      name: 'no refunds',
      default: { approvers: ['role:approver'] },
      rules: [{ name: 'none', match: { action: 'payments.*' }, effect: 'deny' }],
    };
    const put = await spawnPermitry(['policy', 'put', '-', '--data', data], {
      stdin: JSON.stringify(policy),
    });
    expect(put.code).toBe(0);
    expect((await create()).body.error).toMatchObject({ code: 'policy_violation', rule: 'none' });
  });

  test('a key created beside it works at once, and the chain of both writers verifies', async () => {
    const data = freshDirectory();
    await initialise(data);
    const { url } = await serve(data);
    const agentKey = await permitry([
      'keys',
      'create',
      '--kind',
      'agent',
      '--agent',
      'first-agent',
      '--data',
      data,
    ]);

    const created = await call(`${url}/v1/intents`, agentKey.stdout.trim(), REFUND);

    expect(created.status).toBe(201);
    const exported = await permitry(['audit', 'export', '--data', data]);
    expect(exported.stdout).toContain(created.body.id);
    expect(await spawnPermitry(['audit', 'verify', '-'], { stdin: exported.stdout })).toMatchObject({
      code: 0,
    });
  });

  test('an open stream shows what another process does on the directory', async () => {
    const data = freshDirectory();
    const first = await initialise(data);
    const { url } = await serve(data);
    const stop = new AbortController();
    const { body } = await fetch(`${url}/v1/projects/${first.project_id}/events`, {
      headers: { authorization: `Bearer ${first.secret_key}` },
      signal: stop.signal,
    });
    let seen = '';
    const reading = (async () => {
      for await (const part of body ?? []) seen += Buffer.from(part).toString();
    })().catch(() => {});

    await spawnPermitry(['project', 'stop', '--data', data]);

    await expect.poll(() => seen, { timeout: 10_000 }).toContain('project.stopped');
    stop.abort();
    await reading;
  });

  test('the server signs with a rotated key, and permits of the old key stay valid', async () => {
    const data = freshDirectory();
    const { secret_key, verifier_key } = await initialise(data);
    const { url } = await serve(data);
    const old = await permitFrom(url, secret_key);

    const { kid, previous_kid } = await permitryJson<Record<string, string>>(
      'signing-keys',
      'rotate',
      // No verifier keeps a copy of this gate's key set.
      '--now',
      '--data',
      data,
    );
    expect(kidOf(old)).toBe(previous_kid);

    await expect.poll(async () => kidOf(await permitFrom(url, secret_key))).toBe(kid);
    const again = await call(`${url}/v1/permits/validate`, verifier_key, { token: old, ...REFUND });
    expect(again).toMatchObject({ status: 200, body: { valid: true } });
    const keys = await permitryJson<{ kid: string; signs: boolean }[]>(
      'signing-keys',
      'list',
      '--data',
      data,
    );
    expect(keys.filter(({ signs }) => signs)).toMatchObject([{ kid }]);
  });
});

function parseLine(line: string): unknown {
  return JSON.parse(line);
}

/** The text of a stream up to the moment when it contains this. */
function textOn(stream: NodeJS.ReadableStream | null, words: string): Promise<string> {
  let text = '';
  return new Promise((resolve, reject) => {
    stream?.on('data', (chunk: string) => {
      text += chunk;
      if (text.includes(words)) resolve(text);
    });
    stream?.on('end', () => reject(new Error(`ended before "${words}": ${text}`)));
  });
}

async function permitFrom(url: string, secretKey: string): Promise<string> {
  const created = await call(`${url}/v1/intents`, secretKey, REFUND);
  const approved = await call(`${url}/v1/intents/${created.body.id}/approve`, secretKey, {});
  return approved.body.permit.token;
}

function kidOf(token: string): string {
  return JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString()).kid;
}

/** A start without a terminal and without `--json`: its log output, and where it listens. */
async function spawnQuietly(data: string) {
  const child = spawn(process.execPath, [BIN, 'serve', '--data', data, '--port', '0'], {
    env: cleanEnvironment(),
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  const ended = finished(child);
  const said = await textOn(child.stderr, 'SIGTERM stops it');
  const [baseUrl = ''] = /http:\/\/localhost:\d+/.exec(said) ?? [];
  return {
    said,
    baseUrl,
    url: baseUrl.replace('localhost', '127.0.0.1'),
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Whether a set-up link is valid, without using it. */
function look(url: string, link: string): Promise<Response> {
  return fetch(`${url}/console/set-up/look`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: url.replace('127.0.0.1', 'localhost') },
    body: JSON.stringify({ token: link.split('#')[1] }),
  });
}

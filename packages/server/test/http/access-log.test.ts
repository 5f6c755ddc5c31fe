/** The access log records who did what and how it went, but no contents and no secrets. */
import { request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import { openTestApp, type TestApp, type TestAppOptions } from './open-test-app.ts';

let t: TestApp;
afterEach(() => t.close());

async function open(accessLog: 'off' | 'on' | 'with_addresses', options: TestAppOptions = {}): Promise<void> {
  t = await openTestApp({ ...options, logLevel: 'info', config: { accessLog, ...options.config } });
}

/** Only the lines about requests, not those about refusals. */
function lines(): Record<string, unknown>[] {
  return t
    .log()
    .split('\n')
    .filter((line) => line.includes('"msg":"request"'))
    .map((line) => JSON.parse(line));
}

describe('the access log', () => {
  test('records the caller, route, result and duration of each request', async () => {
    await open('on');
    const made = await t.call('POST', '/v1/intents', {
      key: t.first.agent_key,
      body: { action: 'deploy', params: { note: 'do-not-log-me' } },
    });
    await t.call('GET', `/v1/intents/${made.body.id}?wait=0`, { key: t.first.secret_key });
    await t.call('GET', `/v1/projects/${t.projectId}/audit`, { key: t.owner.token });
    await t.call('GET', '/v1/intents/int_x', { key: 'prm_secret_test_wrong' });
    await t.call('GET', '/healthz');
    const common = { level: 'info', ms: expect.any(Number), time: expect.any(String) };
    expect(lines()).toEqual([
      {
        ...common,
        request_id: made.headers['x-request-id'],
        method: 'POST',
        route: '/v1/intents',
        status: 201,
        bytes: made.text.length,
        credential: t.agent.credentialId,
        caller: 'agent',
        project: t.projectId,
        intent: made.body.id,
        msg: 'request',
      },
      expect.objectContaining({ route: '/v1/intents/:id', intent: made.body.id, caller: 'secret' }),
      expect.objectContaining({ route: '/v1/projects/:id/audit', project: t.projectId, caller: 'user' }),
      expect.not.objectContaining({ credential: expect.anything(), intent: expect.anything() }),
    ]);
    expect(t.log()).not.toContain('do-not-log-me');
    expect(lines().some((line) => 'address' in line)).toBe(false);
  });

  test('omits successful health checks and nothing else', async () => {
    await open('on');
    expect((await t.call('GET', '/healthz')).status).toBe(200);
    expect((await t.call('GET', '/readyz')).status).toBe(200);
    expect(lines()).toEqual([]);
    t.reads.findNextExpiry = async () => {
      throw new Error('away');
    };
    await t.call('GET', '/readyz');
    await t.call('POST', '/healthz');
    expect(lines().map(({ route, status }) => [route, status])).toEqual([
      ['/readyz', 503],
      ['(no route)', 404],
    ]);
  });

  test('records client addresses if enabled, and takes them from a proxy only if it is trusted', async () => {
    await open('with_addresses', { config: { trustProxy: ['10.0.0.1'] } });
    const headers = { 'x-forwarded-for': '192.0.2.7' };
    await t.call('GET', '/.well-known/jwks.json', { address: '10.0.0.1', headers });
    await t.call('GET', '/.well-known/jwks.json', { address: '10.0.0.2', headers });
    expect(lines().map(({ address }) => address)).toEqual(['192.0.2.7', '10.0.0.2']);
  });

  test('is empty when it is off', async () => {
    await open('off');
    await t.call('GET', '/.well-known/jwks.json');
    expect(lines()).toEqual([]);
  });

  test('contains no secret and no text that a caller made up, wherever it was sent', async () => {
    await open('with_addresses');
    const { secret_key: key } = t.first;
    const made = await t.call('POST', '/v1/intents', {
      key,
      body: { action: 'a', approvers: ['role:owner'] },
    });
    await t.call('POST', `/v1/intents/${made.body.id}/approve`, { key, body: {} });
    const read = await t.call('GET', `/v1/intents/${made.body.id}`, { key });
    const { token } = read.body.permit as { token: string };
    const secrets = [...Object.values(t.first).filter((value) => value.startsWith('prm_')), token];
    for (const secret of secrets) {
      for (const path of [
        `/v1/intents/${secret}`,
        `/v1/projects/${secret}`,
        `/v1/projects/${secret}/audit`,
        `/v1/nothing/${secret}?token=${secret}`,
        `/approve/${secret}`,
      ]) {
        await t.call('GET', path, { key, headers: { 'x-forwarded-for': secret, 'user-agent': secret } });
        await t.call('GET', path, { key: secret, headers: { cookie: `session=${secret}` } });
      }
    }
    await t.call('GET', '/v1/intents/made-up-by-somebody', { key });
    expect(lines().length).toBeGreaterThan(30);
    for (const secret of secrets) expect(t.log()).not.toContain(secret.slice(0, 24));
    expect(JSON.stringify(lines())).not.toContain('made-up');
  });

  test('records a request whose client hung up before the answer', async () => {
    await open('on');
    await t.app.listen({ host: '127.0.0.1', port: 0 });
    const { port } = t.app.server.address() as AddressInfo;
    const made = await t.call('POST', '/v1/intents', { key: t.first.agent_key, body: { action: 'deploy' } });
    const asked = request({ port, path: `/v1/intents/${made.body.id}?wait=60`, agent: false });
    asked.setHeader('authorization', `Bearer ${t.first.agent_key}`);
    asked.on('error', () => {});
    asked.end();
    while (t.wakeups.waiting === 0) await new Promise((resolve) => setTimeout(resolve, 2));
    asked.destroy();
    while (lines().length < 2) await new Promise((resolve) => setTimeout(resolve, 2));
    expect(lines().at(-1)).toMatchObject({ cut: true, intent: made.body.id, bytes: 0 });
  });
});

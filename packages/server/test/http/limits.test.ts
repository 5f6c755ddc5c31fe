import { afterEach, describe, expect, it } from 'vitest';
import type { Caller } from '../../src/gate/access/caller.ts';
import { pauseAgent } from '../../src/gate/agents/agent-status.ts';
import { createProject } from '../../src/gate/projects/create-project.ts';
import { setRateLimit } from '../../src/gate/projects/set-rate-limit.ts';
import { CORE_ROUTES } from '../../src/http/admission/route-scopes.ts';
import { OPERATOR } from '../fixtures/open-test-gate.ts';
import { refusalOf } from '../fixtures/refusal-of.ts';
import { openTestApp, type TestApp } from './open-test-app.ts';

let t: TestApp;
afterEach(() => t.close());

async function openWith(rateLimitPerMinute: number): Promise<void> {
  t = await openTestApp({ config: { rateLimitPerMinute } });
}

describe('rate limits', () => {
  it('use one bucket for the eight core operations on both surfaces, for every credential and status', async () => {
    await openWith(8);
    const keys = [t.first.agent_key, t.first.secret_key, t.first.verifier_key];
    const remaining: unknown[] = [];
    for (const [index, route] of [...CORE_ROUTES].entries()) {
      const [method = '', path = ''] = route.split(' ');
      const url = path.replace('/projects/:id', `/projects/${t.projectId}`).replace(/:\w+/g, 'x');
      const { status, headers } = await t.call(method, url, { key: keys[index % 3] ?? '' });
      expect(status).not.toBe(429);
      remaining.push(headers['x-ratelimit-remaining']);
    }
    expect(remaining.map(Number)).toEqual([7, 6, 5, 4, 3, 2, 1, 0]);

    const refused = await t.call('GET', '/api/intents', { key: t.first.secret_key });
    expect(refused.status).toBe(429);
    expect(refused.body).toMatchObject({ error: { code: 'RATE_LIMITED' } });
    expect(refused.headers).toMatchObject({
      'x-ratelimit-limit': '8',
      'x-ratelimit-remaining': '0',
      'x-ratelimit-reset': String(Date.parse('2026-11-20T12:01:00.000Z') / 1000),
      ratelimit: '"default";r=0;t=60',
      'ratelimit-policy': '"default";q=8;w=60',
      'retry-after': '60',
    });

    t.clock.advance(60);
    expect((await t.call('GET', '/api/intents', { key: t.first.secret_key })).status).toBe(200);
  });

  it('give all other operations another bucket of the same size', async () => {
    await openWith(2);
    const key = t.first.secret_key;
    for (let i = 0; i < 3; i += 1) await t.call('GET', '/api/intents', { key });
    const other = `/v1/projects/${t.projectId}/agents`;
    expect((await t.call('GET', other, { key })).status).toBe(200);
    expect((await t.call('GET', other, { key })).status).toBe(200);
    expect((await t.call('GET', other, { key })).status).toBe(429);
  });

  it('still let an owner stop the agent that used them up', async () => {
    await openWith(2);
    const olga = await t.addPerson('olga@example.org', 'owner');
    const agent = `/v1/projects/${t.projectId}/agents/${t.agentId}`;
    const ask = (method: string, path: string) => t.call(method, path, { key: olga.token });
    for (let i = 0; i < 2; i += 1) {
      await t.call('POST', '/v1/intents/itn_x/withdraw', { key: t.first.agent_key });
      await t.call('GET', '/api/intents', { key: t.first.agent_key });
    }
    expect((await ask('GET', agent)).status).toBe(429);
    expect((await ask('POST', `${agent}/pause`)).status).toBe(200);
    expect((await ask('POST', `/v1/projects/${t.projectId}/stop`)).status).toBe(200);
    // Stopping has its own bucket of the same size, one for each credential.
    expect((await ask('POST', `${agent}/revoke`)).status).toBe(429);
    const stopped = await t.gate.storage.read.findProject(t.projectId);
    expect(typeof stopped?.stoppedAt).toBe('string');
    const otto = await t.addPerson('otto@example.org', 'owner');
    expect((await t.call('POST', `${agent}/revoke`, { key: otto.token })).status).toBe(200);
  });

  it('count a user token towards its project', async () => {
    await openWith(1);
    const ann = await t.addPerson('ann@example.org', 'viewer');
    expect((await t.call('GET', '/api/intents', { key: ann.token })).status).toBe(200);
    expect((await t.call('GET', '/api/intents', { key: t.first.secret_key })).status).toBe(429);
  });

  it('follow the operator’s value for the project, for every credential and from the next request on', async () => {
    await openWith(0);
    const [key, path] = [t.first.secret_key, `/v1/projects/${t.projectId}/agents`];
    const ann = await t.addPerson('ann@example.org', 'viewer');
    expect((await t.call('GET', path, { key })).headers['x-ratelimit-limit']).toBeUndefined();

    await setRateLimit(t.gate, OPERATOR, { projectId: t.projectId, perMinute: 2 });
    expect((await t.call('GET', path, { key })).headers).toMatchObject({ 'x-ratelimit-limit': '2' });
    const seen = await t.call('GET', path, { key: ann.token });
    expect([seen.status, seen.headers]).toMatchObject([200, { 'x-ratelimit-limit': '2' }]);
    expect((await t.call('GET', path, { key: ann.token })).status).toBe(429);
    expect((await t.call('GET', path, { key })).status).toBe(429);

    for (const perMinute of [0, 0, null])
      await setRateLimit(t.gate, OPERATOR, { projectId: t.projectId, perMinute });
    expect((await t.call('GET', path, { key })).status).toBe(200);
    const events = await t.events(t.projectId, 'project.limit_updated');
    expect(events.map(({ data, actor }) => [data, actor.type])).toEqual(
      [2, 0, null].map((perMinute) => [{ per_minute: perMinute }, 'operator']),
    );
  });

  it('can be set by the operator only, and to whole numbers only', async () => {
    await openWith(5);
    const set = (by: Caller, perMinute: number) =>
      refusalOf(setRateLimit(t.gate, by, { projectId: t.projectId, perMinute }));
    expect(await set(t.owner.caller, 7)).toMatchObject({
      code: 'forbidden',
      details: { required: 'operator' },
    });
    for (const perMinute of [-1, 1.5, 1_000_001, Number.NaN])
      expect(await set(OPERATOR, perMinute)).toMatchObject({ code: 'invalid_fields' });
    expect((await t.gate.storage.read.findProject(t.projectId))?.rateLimitPerMinute).toBeNull();
    expect(await t.events(t.projectId, 'project.limit_updated')).toEqual([]);
  });

  it('apply per person when a request could concern any of several projects', async () => {
    await openWith(1);
    const ann = await t.addPerson('ann@example.org', 'viewer');
    await createProject(t.gate, OPERATOR, { name: 'Second', mode: 'test', ownerEmail: 'ann@example.org' });
    expect((await t.call('GET', '/api/intents', { key: ann.token })).status).toBe(200);
    expect((await t.call('GET', '/api/intents', { key: ann.token })).status).toBe(429);
    expect((await t.call('GET', '/api/intents', { key: t.first.secret_key })).status).toBe(200);
    const audit = `/v1/projects/${t.projectId}/audit`;
    expect((await t.call('GET', audit, { key: ann.token })).status).toBe(429);
  });

  it('are off when set to 0, and their headers absent', async () => {
    await openWith(0);
    for (const key of [t.first.secret_key, undefined]) {
      const { headers } = await t.call('GET', '/api/intents', key ? { key } : {});
      expect(Object.keys(headers).filter((name) => name.includes('ratelimit'))).toEqual([]);
      expect(headers['x-request-id']).toBeDefined();
    }
  });

  it('follow a project’s own value instead of the default', async () => {
    await openWith(10_000);
    t.reads.findCredential = async (hash) => {
      const record = await t.gate.storage.read.findCredential(hash);
      return record?.project ? { ...record, project: { ...record.project, rateLimitPerMinute: 1 } } : record;
    };
    expect(
      (await t.call('GET', '/api/intents', { key: t.first.secret_key })).headers['x-ratelimit-limit'],
    ).toBe('1');
    expect((await t.call('GET', '/api/intents', { key: t.first.secret_key })).status).toBe(429);
  });

  it('of a single key apply first, and what they refuse does not count towards the project', async () => {
    await openWith(5);
    t.reads.findCredential = async (hash) => {
      const record = await t.gate.storage.read.findCredential(hash);
      return record?.key.kind === 'agent'
        ? { ...record, key: { ...record.key, rateLimitPerMinute: 2 } }
        : record;
    };
    const statuses: number[] = [];
    for (let i = 0; i < 10; i += 1)
      statuses.push((await t.call('GET', '/api/intents', { key: t.first.agent_key })).status);
    expect(statuses).toEqual([200, 200, ...Array(8).fill(429)]);
    const others = await t.call('GET', '/api/intents', { key: t.first.secret_key });
    expect(others.status).toBe(200);
    expect(others.headers['x-ratelimit-remaining']).toBe('2');
  });

  it('block wrong keys from an address, but not valid keys from it', async () => {
    await openWith(10_000);
    const wrong = { headers: { authorization: 'Bearer wrong' }, address: '203.0.113.9' };
    const statuses: number[] = [];
    for (let i = 0; i < 101; i += 1) statuses.push((await t.call('GET', '/v1/intents/x', wrong)).status);
    expect(statuses.slice(0, 100).every((status) => status === 401)).toBe(true);
    expect(statuses[100]).toBe(429);
    expect(
      (await t.call('GET', '/api/intents', { key: t.first.secret_key, address: '203.0.113.9' })).status,
    ).toBe(200);
    expect((await t.call('GET', '/v1/intents/x', { ...wrong, address: '203.0.113.10' })).status).toBe(401);
    expect((await t.call('GET', '/v1/intents/x', { address: '203.0.113.9' })).status).toBe(401);
  });

  it('use X-Forwarded-For only from a trusted proxy', async () => {
    await openWith(10_000);
    const headers = { authorization: 'Bearer wrong', 'x-forwarded-for': '198.51.100.1' };
    await t.call('GET', '/v1/intents/x', { headers });
    const direct = await t.call('GET', '/healthz');
    expect(direct.headers['x-ratelimit-remaining']).toBe('99');

    const behind = await openTestApp({ config: { trustProxy: 1 } });
    await behind.call('GET', '/v1/intents/x', { headers });
    expect((await behind.call('GET', '/healthz')).headers['x-ratelimit-remaining']).toBe('100');
    const forwarded = { headers: { 'x-forwarded-for': '192.0.2.7, 198.51.100.1' } };
    expect((await behind.call('GET', '/healthz', forwarded)).headers['x-ratelimit-remaining']).toBe('99');
    await behind.close();
  });

  it('also count requests that the operation refuses', async () => {
    await openWith(3);
    await pauseAgent(t.gate, t.operator, { projectId: t.projectId, agentId: t.agentId });
    const body = { action: 'deploy' };
    expect((await t.call('POST', '/v1/intents', { key: t.first.agent_key, body })).status).toBe(403);
    expect((await t.call('POST', '/v1/intents', { key: t.first.agent_key, body: {} })).status).toBe(400);
    const third = await t.call('GET', '/v1/intents/x', { key: t.first.agent_key });
    expect(third.status).toBe(404);
    expect(third.headers['x-ratelimit-remaining']).toBe('0');
  });
});

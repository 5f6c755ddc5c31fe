import { formatApiKey } from '@permitry/protocol';
import type Fastify from 'fastify';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { revokeAgent } from '../../src/gate/agents/agent-status.ts';
import { Refusals } from '../../src/gate/intents/refusals.ts';
import { ROUTE_ACCESS } from '../../src/http/admission/route-scopes.ts';
import { buildApp } from '../../src/http/app.ts';
import { FOR_STRAY_BROWSERS } from '../../src/http/console/stray-browsers.ts';
import { createKey } from '../../src/people/keys/create-key.ts';
import { revokeKey } from '../../src/people/keys/revoke-key.ts';
import { removeMember } from '../../src/people/members/remove-member.ts';
import { openTestApp, type TestApp } from './open-test-app.ts';

let t: TestApp;
beforeEach(async () => {
  t = await openTestApp();
});
afterEach(() => t.close());

const UNKNOWN_KEY = formatApiKey('secret', 'test', new Uint8Array(32).fill(3));

describe('authentication', () => {
  it('answers every bad credential with the same message', async () => {
    const expired = await createKey(t.gate, t.operator, {
      projectId: t.projectId,
      kind: 'verify',
      name: 'short',
      expiresAt: '2026-11-20T12:00:30.000Z',
    });
    const revoked = await createKey(t.gate, t.operator, {
      projectId: t.projectId,
      kind: 'verify',
      name: 'gone',
    });
    await revokeKey(t.gate, t.operator, { projectId: t.projectId, keyId: revoked.record.id });
    await t.addPerson('ann@example.org', 'admin');
    const orphan = await t.addService('ann@example.org');
    const ann = (await t.gate.storage.read.listMembers(t.projectId)).find(
      (m) => m.email === 'ann@example.org',
    );
    await removeMember(t.gate, t.operator, { projectId: t.projectId, userId: ann?.userId ?? '' });
    t.clock.advance(60);

    const headers = [
      {},
      { authorization: '' },
      { authorization: `Basic ${t.first.secret_key}` },
      { authorization: 'Bearer' },
      { authorization: `Bearer ${t.first.secret_key} ${t.first.secret_key}` },
      { authorization: 'Bearer nonsense' },
      { authorization: `Bearer ${t.first.secret_key.slice(0, -1)}!` },
      { authorization: `Bearer ${UNKNOWN_KEY}` },
      { authorization: `Bearer ${expired.key}` },
      { authorization: `Bearer ${revoked.key}` },
      { authorization: `Bearer ${orphan.key}` },
    ];
    const answers = await Promise.all(headers.map((h) => t.call('GET', '/v1/intents/int_x', { headers: h })));
    for (const { status, body, headers: answered } of answers) {
      expect(status).toBe(401);
      expect(body).toEqual({
        error: {
          code: 'unauthorized',
          message: 'The API key is missing or not valid. Send it as Authorization: Bearer <key>.',
          request_id: answered['x-request-id'],
        },
      });
      expect(answered['www-authenticate']).toMatch(/^Bearer/);
    }
    expect((await t.call('GET', '/api/intents')).body).toMatchObject({ error: { code: 'UNAUTHORIZED' } });
  });

  it('accepts the Bearer scheme in any letter case', async () => {
    const { status } = await t.call('GET', '/api/intents', {
      headers: { authorization: `bEARER ${t.first.secret_key}` },
    });
    expect(status).toBe(200);
  });

  it('answers a revoked agent’s key with an error code of its own on both surfaces', async () => {
    await revokeAgent(t.gate, t.operator, { projectId: t.projectId, agentId: t.agentId });
    const key = t.first.agent_key;
    expect((await t.call('POST', '/api/intents', { key, body: {} })).body).toMatchObject({
      error: { code: 'AGENT_REVOKED' },
    });
    const read = await t.call('GET', '/v1/intents/int_x', { key });
    expect(read.status).toBe(403);
    expect(read.body).toMatchObject({ error: { code: 'agent_revoked' } });
  });

  it('comes before the body is read', async () => {
    const body = `{"broken`;
    expect((await t.call('POST', '/v1/intents', { body })).status).toBe(401);
    const refused = await t.call('POST', '/v1/intents', { key: t.first.verifier_key, body });
    expect(refused.body).toMatchObject({ error: { code: 'forbidden', required: 'intents:create' } });
  });
});

describe('authorisation', () => {
  it('refuses every route whose scope the credential lacks, and records the refusal', async () => {
    const key = t.first.verifier_key;
    const mine = ['permits:verify', 'permits:consume', 'outcomes:report', 'project:read', 'public'];
    const others = Object.entries(ROUTE_ACCESS).filter(([, access]) => !mine.includes(access));
    expect(others.length).toBeGreaterThan(20);
    for (const [route, required] of others) {
      const [method = '', path = ''] = route.split(' ');
      const url = path.replace('/projects/:id', `/projects/${t.projectId}`).replace(/:\w+/g, 'x');
      const { status, body } = await t.call(method, url, { key });
      expect(status, route).toBe(403);
      // The dashboard's own routes accept no key, whatever its scopes elsewhere.
      const asked = path.startsWith('/console/') || required === 'reviewer' ? 'session' : required;
      expect(body, route).toMatchObject({ error: { required: asked } });
      expect(String((body.error as { code: string }).code).toLowerCase()).toBe('forbidden');
    }
    const events = await t.events(t.projectId, 'access.refused');
    expect(events.map(({ data }) => data.route)).toEqual(others.map(([route]) => route));
    expect(events[0]?.data).toEqual({ route: 'POST /api/intents', required: 'intents:create' });
    expect(events[0]?.actor.id).toBe(t.verifier.credentialId);
  });

  it('records at most ten refusals per route and minute, and counts each route separately', async () => {
    const key = t.first.verifier_key;
    const refused = async () =>
      (await t.events(t.projectId, 'access.refused')).map(({ data }) => data.route as string);
    for (let times = 0; times < 30; times += 1) await t.call('GET', '/api/intents', { key });
    const reads = Array.from({ length: 10 }, () => 'GET /api/intents');
    expect(await refused()).toEqual(reads);

    await t.call('POST', '/v1/intents/int_x/approve', { key, body: {} });
    expect(await refused()).toEqual([...reads, 'POST /v1/intents/:id/approve']);

    t.clock.advance(60);
    await t.call('GET', '/api/intents', { key });
    expect((await refused()).slice(11)).toEqual(['GET /api/intents']);
  });

  it('checks the scope first, then answers 404 for a project that the caller is not in', async () => {
    const other = 'prj_00000000000000000000000000';
    const unseen = await t.call('GET', `/v1/projects/${other}/agents`, { key: t.first.secret_key });
    expect(unseen.status).toBe(404);
    expect(unseen.body).toMatchObject({ error: { code: 'project_not_found' } });
    const unscoped = await t.call('GET', `/v1/projects/${other}/agents`, { key: t.first.agent_key });
    expect(unscoped.status).toBe(403);
  });

  it('still refuses when the refusal cannot be recorded', async () => {
    const gate = {
      ...t.gate,
      storage: { ...t.gate.storage, transaction: () => Promise.reject(new Error('disk full')) },
    };
    await expect(new Refusals(gate).record(t.agent, { route: 'x' })).rejects.toThrow('disk full');
    const app = await buildApp({ ...t.parts, gate });
    const answer = await app.inject({
      method: 'POST',
      url: '/v1/intents/x/approve',
      headers: { authorization: `Bearer ${t.first.agent_key}` },
    });
    expect(answer.statusCode).toBe(403);
    await app.close();
  });
});

describe('the route table', () => {
  it('keeps the app from starting with an unlisted route', async () => {
    const surface = {
      ...t.parts.surfaces.b,
      routes: (app: ReturnType<typeof Fastify>) => void app.get('/new', () => 1),
    };
    const parts = { ...t.parts, surfaces: { ...t.parts.surfaces, b: surface as never } };
    await expect(buildApp(parts)).rejects.toThrow('GET /v1/new has no entry in route-scopes.ts');
  });

  it('has a route for every entry', () => {
    for (const name of Object.keys(ROUTE_ACCESS)) {
      const [method = '', url = ''] = name.split(' ');
      const constraints = url === '/*' ? FOR_STRAY_BROWSERS : {};
      expect(t.app.hasRoute({ method: method as 'GET', url, constraints }), name).toBe(true);
    }
  });

  it('requires for HEAD what it requires for GET, and counts the request once', async () => {
    expect((await t.call('HEAD', '/api/intents')).status).toBe(401);
    const first = await t.call('HEAD', '/api/intents', { key: t.first.secret_key });
    const second = await t.call('HEAD', '/api/intents', { key: t.first.secret_key });
    expect(second.status).toBe(200);
    expect(second.text).toBe('');
    expect(
      Number(first.headers['x-ratelimit-remaining']) - Number(second.headers['x-ratelimit-remaining']),
    ).toBe(1);
  });

  it('has no OPTIONS routes and allows no other origin', async () => {
    const { status, headers } = await t.call('OPTIONS', '/v1/intents', {
      headers: { origin: 'https://evil.example' },
    });
    expect(status).toBe(404);
    expect(headers).not.toHaveProperty('access-control-allow-origin');
  });
});

describe('the time of last use', () => {
  it('is stored for both the key and its agent', async () => {
    t.clock.advance(5);
    await t.call('GET', '/api/intents', { key: t.first.agent_key });
    await t.lastUsed.flush();
    expect((await t.gate.storage.read.findKey(t.agent.credentialId))?.lastUsedAt).toBe(t.clock.now());
    expect((await t.gate.storage.read.findAgent(t.projectId, t.agentId))?.lastSeenAt).toBe(t.clock.now());
  });
});

/**
 * A request that is repeated under its Idempotency-Key (contract §1) runs once, whatever its content and the
 * circumstances.
 */

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ON_SQLITE } from '../../packages/server/test/fixtures/open-test-gate.ts';
import { type Answer, type Arena, openArena } from './open-arena.ts';
import { expectRefused, idOf, permitOf } from './surfaces.ts';

let t: Arena;
beforeAll(async () => {
  t = await openArena({ mode: 'test' });
  const rules = [{ name: 'free', match: { action: 'free.*' }, effect: 'allow' }];
  const body = { name: 'p', default: { approvers: ['role:approver'] }, rules };
  expect(
    (await t.call('PUT', `/v1/projects/${t.projectId}/policies`, { key: t.owner.token, body })).status,
  ).toBe(200);
});
afterAll(() => t.close());

interface Sent {
  key?: string;
  idempotencyKey: string;
  body: object | string;
}

const PATHS = { A: '/api/intents', B: '/v1/intents' } as const;

function create(
  surface: 'A' | 'B',
  { key = t.first.agent_key, idempotencyKey, body }: Sent,
): Promise<Answer> {
  const complete = typeof body === 'string' || surface === 'B' ? body : { source_type: 'ai_agent', ...body };
  return t.call('POST', PATHS[surface], {
    key,
    body: complete,
    headers: { 'idempotency-key': idempotencyKey },
  });
}

function createdSince(start: number): number {
  return t.written(start).filter(({ type }) => type === 'intent.created').length;
}

describe.each(['A', 'B'] as const)('surface %s', (surface) => {
  it('creates one intent from 50 requests sent at once under one key', async () => {
    const sent = { idempotencyKey: randomUUID(), body: { action: 'deploy' } };
    const start = t.now();
    const answers = await Promise.all(Array.from({ length: 50 }, () => create(surface, sent)));
    const ids = new Set(answers.filter(({ status }) => status === 201).map(idOf));
    expect(ids.size).toBe(1);
    for (const answer of answers.filter(({ status }) => status !== 201))
      expectRefused(surface, answer, 409, 'IDEMPOTENCY_CONFLICT');
    const again = await t.expectUnchanged(() => create(surface, sent));
    expect(ids).toContain(idOf(again));
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(createdSince(start)).toBe(1);
  });

  it('refuses another body under the key, to the byte, even while the first request runs', async () => {
    const idempotencyKey = randomUUID();
    const body = { action: 'deploy', ...(surface === 'A' ? { context: { n: 1 } } : { params: { n: 1 } }) };
    const start = t.now();
    const [first, rival] = await Promise.all([
      create(surface, { idempotencyKey, body }),
      create(surface, { idempotencyKey, body: { action: 'other' } }),
    ]);
    expect(first.status).toBe(201);
    expectRefused(surface, rival, 422, 'IDEMPOTENCY_CONFLICT');
    for (const other of [
      { action: 'deploy' },
      { ...body, risk_tier: 'low' },
      ` ${JSON.stringify({ source_type: 'ai_agent', ...body })}`,
    ]) {
      const answer = await t.expectUnchanged(() => create(surface, { idempotencyKey, body: other }));
      expectRefused(surface, answer, 422, 'IDEMPOTENCY_CONFLICT');
    }
    expect(createdSince(start)).toBe(1);
  });

  it('keeps the keys of different credentials and paths apart', async () => {
    const idempotencyKey = randomUUID();
    const body = { action: 'deploy' };
    const other = surface === 'A' ? 'B' : 'A';
    const ids = [
      await create(surface, { idempotencyKey, body }),
      await create(surface, { idempotencyKey, body, key: t.first.secret_key }),
      await create(other, { idempotencyKey, body }),
    ].map(idOf);
    expect(new Set(ids).size).toBe(3);
  });

  it('does not remember a refusal for a temporary reason', async () => {
    const agent = await t.addAgent({ name: `held-${surface}` });
    const path = `/v1/projects/${t.projectId}/agents/${agent.agent.id}`;
    const sent = { key: agent.key, idempotencyKey: randomUUID(), body: { action: 'deploy' } };
    await t.call('POST', `${path}/pause`, { key: t.owner.token });
    expectRefused(surface, await t.expectUnchanged(() => create(surface, sent)), 403, 'AGENT_PAUSED');
    await t.call('POST', `${path}/resume`, { key: t.owner.token });
    await t.call('POST', `/v1/projects/${t.projectId}/stop`, { key: t.owner.token });
    expectRefused(surface, await t.expectUnchanged(() => create(surface, sent)), 403, 'PROJECT_STOPPED');
    await t.call('POST', `/v1/projects/${t.projectId}/start`, { key: t.owner.token });
    expectRefused(surface, await create(surface, { ...sent, key: `${agent.key}x` }), 401, 'UNAUTHORIZED');
    const named = { ...sent, body: { action: 'deploy', source: 'somebody-else' } };
    expectRefused(surface, await create(surface, named), 403, 'FORBIDDEN');
    const made = await create(surface, sent);
    expect(made.status).toBe(201);
    expect(made.headers['idempotency-replayed']).toBeUndefined();

    // The gate does not repeat the first response while the agent is paused.
    await t.call('POST', `${path}/pause`, { key: t.owner.token });
    expectRefused(surface, await t.expectUnchanged(() => create(surface, sent)), 403, 'AGENT_PAUSED');
    await t.call('POST', `${path}/revoke`, { key: t.owner.token });
    expectRefused(surface, await t.expectUnchanged(() => create(surface, sent)), 403, 'AGENT_REVOKED');
  });

  it('repeats no answer to a service while the agent it named is paused', async () => {
    const { agent } = await t.addAgent({ name: `named-${surface}` });
    const path = `/v1/projects/${t.projectId}/agents/${agent.id}`;
    const body = { action: 'free.deploy', source: agent.name };
    const sent = { key: t.first.secret_key, idempotencyKey: randomUUID(), body };
    const made = await create(surface, sent);
    expect(permitOf(made)).toMatch(/^eyJ/);
    await t.call('POST', `${path}/pause`, { key: t.owner.token });
    expectRefused(surface, await t.expectUnchanged(() => create(surface, sent)), 403, 'AGENT_PAUSED');
    await t.call('POST', `${path}/resume`, { key: t.owner.token });
    expect((await t.expectUnchanged(() => create(surface, sent))).body).toEqual(made.body);
  });

  it('remembers a refusal for a lasting reason', async () => {
    const sent = {
      idempotencyKey: randomUUID(),
      body: { action: 'deploy', approvers: ['nobody@example.org'] },
    };
    const first = await t.expectUnchanged(() => create(surface, sent));
    expectRefused(surface, first, 422, 'APPROVER_NOT_FOUND');
    const again = await t.expectUnchanged(() => create(surface, sent));
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(again.body).toEqual(first.body);
  });

  it('repeats an approval by policy with its permit, which is stored only with the permits', async () => {
    const sent = { idempotencyKey: randomUUID(), body: { action: 'free.deploy' } };
    const first = await create(surface, sent);
    const again = await t.expectUnchanged(() => create(surface, sent));
    expect(again.body).toEqual(first.body);
    expect(permitOf(again)).toBe(permitOf(first));
    expect(JSON.stringify(t.remembered())).not.toContain(permitOf(first).split('.')[2]);
  });

  it.each([
    ['looks like a key', 'prm_agent_live_'],
    ['is a key', 'KEY'],
    ['is a permit', 'PERMIT'],
  ])('carries out a request only once, even if its text contains something that %s', async (_name, what) => {
    const permit = permitOf(
      await create(surface, { idempotencyKey: randomUUID(), body: { action: 'free.x' } }),
    );
    const text = what === 'KEY' ? t.first.verifier_key : what === 'PERMIT' ? permit : what;
    const params = surface === 'A' ? 'context' : 'params';
    const bodies = [
      { action: 'free.rotate', [params]: { note: text } },
      { action: 'deploy', [params]: { [text]: 1 } },
      { action: text.slice(0, 60) },
      ...(surface === 'B' ? [{ action: 'deploy', metadata: { note: text } }] : []),
      ...(text.length < 200 ? [{ action: 'deploy', source: text }] : []),
    ];
    for (const body of bodies) {
      const sent = { key: t.first.secret_key, idempotencyKey: randomUUID(), body };
      const start = t.now();
      const first = await create(surface, sent);
      expect(first.status, first.text).toBe(201);
      const again = await create(surface, sent);
      expect(again.headers['idempotency-replayed']).toBe('true');
      expect(again.body).toEqual(first.body);
      expect(createdSince(start)).toBe(1);
    }
    const refused = {
      idempotencyKey: randomUUID(),
      body: { action: 'deploy', approvers: [text.slice(0, 200)] },
    };
    expectRefused(surface, await create(surface, refused), 422, 'APPROVER_NOT_FOUND');
  });
});

it('a fresh permit is issued once under a key, whatever the intent contains', async () => {
  const intent = await t.surfaces[1].create(t.first.agent_key, 'free.x', { note: t.first.verifier_key });
  const redeem = () =>
    t.call('POST', `/v1/intents/${idOf(intent)}/permit`, {
      key: t.first.agent_key,
      body: {},
      headers: { 'idempotency-key': 'again' },
    });
  const first = await redeem();
  expect(first.status, first.text).toBe(201);
  const again = await t.expectUnchanged(redeem);
  expect(permitOf(again)).toBe(permitOf(first));
});

it('a new key is created once under an idempotency key, and shown once', async () => {
  const request = () =>
    t.call('POST', `/v1/projects/${t.projectId}/keys`, {
      key: t.owner.token,
      body: { kind: 'verify', name: 'once' },
      headers: { 'idempotency-key': 'mint' },
    });
  const first = await request();
  expect(first.body.key).toMatch(/^prm_verify_test_/);
  const again = await t.expectUnchanged(request);
  const { key: _shownOnce, ...rest } = first.body;
  expect(again.body).toEqual(rest);
  expect(JSON.stringify(t.remembered())).not.toContain(String(first.body.key));
});

it('a revoked credential gets no repeated answer', async () => {
  const service = await t.addService('owner@example.org', 'short-lived');
  const sent = { key: service.key, idempotencyKey: randomUUID(), body: { action: 'free.deploy' } };
  expect((await create('B', sent)).status).toBe(201);
  const revoke = await t.call('POST', `/v1/projects/${t.projectId}/keys/${service.keyId}/revoke`, {
    key: t.owner.token,
  });
  expect(revoke.status).toBe(200);
  expectRefused('B', await t.expectUnchanged(() => create('B', sent)), 401, 'UNAUTHORIZED');
});

it.runIf(ON_SQLITE)('a request refused for its rate is not remembered', async () => {
  const slow = await openArena({ mode: 'test', config: { rateLimitPerMinute: 1 } });
  const send = () =>
    slow.call('POST', '/v1/intents', {
      key: slow.first.agent_key,
      body: { action: 'deploy' },
      headers: { 'idempotency-key': 'slowly' },
    });
  await slow.call('GET', '/api/intents', { key: slow.first.agent_key });
  expectRefused('B', await slow.expectUnchanged(send), 429, 'RATE_LIMITED');
  slow.clock.advance(60);
  const made = await send();
  expect(made.status).toBe(201);
  expect(made.headers['idempotency-replayed']).toBeUndefined();
  await slow.close();
});

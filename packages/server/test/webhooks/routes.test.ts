/** Webhooks over HTTP: what the routes show, who may use them, and what they refuse. */
import type { FastifyInstance, InjectOptions } from 'fastify';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildApp } from '../../src/http/app.ts';
import { openReach } from '../../src/outgoing/notifications/open-reach.ts';
import { Outgoing } from '../../src/outgoing/outgoing.ts';
import { signedIn } from '../fixtures/signed-in.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';

let t: TestApp;
let app: FastifyInstance;
let owner: Record<string, string>;

beforeEach(async () => {
  t = await openTestApp({ mode: 'live' });
  const reach = openReach({ configured: false }, new Outgoing({ allowedPrivate: [] }));
  app = await buildApp({ ...t.parts, gate: { ...t.parts.gate, reach } });
  owner = (await t.owner.signIn()).headers;
});
afterEach(async () => {
  await app.close();
  await t.close();
});

async function call(
  headers: Record<string, string>,
  method: string,
  path: string,
  body?: unknown,
  project = t.projectId,
) {
  const response = await app.inject({
    method: method as NonNullable<InjectOptions['method']>,
    url: `/v1/projects/${project}/webhooks${path}`,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  });
  const { statusCode: status, payload: text } = response;
  return { status, text, headers: response.headers, body: text === '' ? {} : response.json() };
}

const URL_WITH_TOKEN = 'https://hooks.example.com/in?token=s3cret';
const create = (body: object = {}, headers = owner) =>
  call(headers, 'POST', '', { url: URL_WITH_TOKEN, event_types: ['intent.*'], ...body });

describe('a webhook', () => {
  test('is created with a secret that is shown only once', async () => {
    const made = await create({ description: 'Ledger of the shop' });
    expect(made).toMatchObject({
      status: 201,
      body: {
        id: expect.stringMatching(/^whk_[0-9a-z]{26}$/),
        secret: expect.stringMatching(/^whsec_[A-Za-z0-9+/]{43}=$/),
        url: URL_WITH_TOKEN,
        description: 'Ledger of the shop',
        event_types: ['intent.*'],
        enabled: true,
        disabled_reason: null,
        failing_since: null,
        paused_until: null,
        previous_secrets_end_at: null,
      },
    });
    const { secret, ...shown } = made.body;
    expect(await call(owner, 'GET', `/${shown.id}`)).toMatchObject({ status: 200, body: shown });
    const list = await call(owner, 'GET', '');
    expect(list.body).toEqual({ data: [shown], next_cursor: null });
    const [event] = await t.events(t.projectId, 'webhook.created');
    expect(event?.data).toEqual({
      webhook_id: shown.id,
      host: 'hooks.example.com',
      event_types: ['intent.*'],
    });
  });

  test('is created once per Idempotency-Key, and the repeated call does not return the secret', async () => {
    const headers = { ...owner, 'idempotency-key': 'once' };
    const first = await create({}, headers);
    const again = await create({}, headers);
    expect(again.status).toBe(201);
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect(again.body.id).toBe(first.body.id);
    expect(again.text).not.toContain('whsec_');
    expect((await call(owner, 'GET', '')).body.data).toHaveLength(1);
  });

  test('can be changed member by member, disabled, enabled and deleted', async () => {
    const { id } = (await create()).body;
    const changed = await call(owner, 'PATCH', `/${id}`, { event_types: null, description: 'All' });
    expect(changed.body).toMatchObject({ url: URL_WITH_TOKEN, event_types: null, description: 'All' });
    expect((await call(owner, 'PATCH', `/${id}`, { enabled: false })).body).toMatchObject({
      enabled: false,
      disabled_reason: 'requested',
      disabled_at: t.clock.now(),
    });
    expect((await call(owner, 'PATCH', `/${id}`, { enabled: true })).body).toMatchObject({
      enabled: true,
      disabled_reason: null,
      disabled_at: null,
    });
    const url = 'https://other.example.com/in';
    expect((await call(owner, 'PATCH', `/${id}`, { url })).body.url).toBe(url);
    expect((await call(owner, 'PATCH', `/${id}`, { url })).status).toBe(200);
    expect((await call(owner, 'DELETE', `/${id}`)).status).toBe(204);
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const gone = await call(owner, method, `/${id}`, method === 'PATCH' ? {} : undefined);
      expect(gone).toMatchObject({ status: 404, body: { error: { code: 'not_found' } } });
    }
    const types = (await t.events(t.projectId)).flatMap(({ type }) =>
      type.startsWith('webhook') ? [type] : [],
    );
    expect(types).toEqual([
      'webhook.created',
      'webhook.updated',
      'webhook.disabled',
      'webhook.enabled',
      'webhook.updated',
      'webhook.deleted',
    ]);
    expect(JSON.stringify(await t.events(t.projectId))).not.toContain('s3cret');
  });

  test.each([
    ['an address in the private network', { url: 'https://169.254.169.254/x' }, '/url'],
    ['an address without TLS', { url: 'http://hooks.example.com/x' }, '/url'],
    ['a user name and a password', { url: 'https://me:secret@hooks.example.com/x' }, '/url'],
    ['an address that is too long', { url: `https://hooks.example.com/${'x'.repeat(2048)}` }, '/url'],
    ['an unknown event type', { event_types: ['intent.created', 'intent.vanished'] }, '/event_types/1'],
    ['an unknown group of types', { event_types: ['nothing.*'] }, '/event_types/0'],
    ['an empty list of types', { event_types: [] }, '/event_types'],
    ['an invisible character in the description', { description: 'a\u202Eb' }, '/description'],
    ['an unknown member', { secret: 'whsec_mine' }, '/secret'],
  ])('with %s is refused and not stored', async (_, body, path) => {
    const refused = await create(body);
    expect(refused).toMatchObject({
      status: 400,
      body: { error: { code: 'invalid_request', fields: [{ path }] } },
    });
    expect((await call(owner, 'GET', '')).body.data).toEqual([]);
    expect(await t.events(t.projectId, 'webhook.created')).toEqual([]);
  });

  test('is refused if the project already has twenty', async () => {
    for (let made = 0; made < 20; made += 1) expect((await create()).status).toBe(201);
    expect(await create()).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
    expect((await call(owner, 'GET', '?limit=7')).body.data).toHaveLength(7);
  });

  test('can be created and changed only by a person who is present, and can be tested without a person', async () => {
    const browser = (await signedIn(t.gate, t.owner.userId)).headers;
    const { id } = (await create({}, browser)).body;
    t.clock.advance(16 * 60);
    const proof = { status: 403, body: { error: { code: 'proof_required' } } };
    expect(await create({}, browser)).toMatchObject(proof);
    for (const [method, path] of [
      ['PATCH', ''],
      ['DELETE', ''],
      ['POST', '/rotate-secret'],
      ['DELETE', '/previous-secrets'],
    ] as const) {
      const body = method === 'DELETE' ? undefined : {};
      expect(await call(browser, method, `/${id}${path}`, body)).toMatchObject(proof);
    }
    expect((await call(browser, 'POST', `/${id}/test`, {})).status).toBe(201);
    const secret = { authorization: `Bearer ${t.first.secret_key}` };
    expect(await create({}, secret)).toMatchObject({ status: 403 });
    expect((await call(secret, 'POST', `/${id}/test`, {})).status).toBe(201);
    expect(await t.events(t.projectId, 'webhook.created')).toHaveLength(1);
  });
});

describe('a webhook secret', () => {
  test('is rotated with an overlap that can be ended early', async () => {
    const made = (await create()).body;
    const rotated = await call(owner, 'POST', `/${made.id}/rotate-secret`, { overlap_seconds: 60 });
    expect(rotated).toMatchObject({
      status: 200,
      body: {
        secret: expect.stringMatching(/^whsec_/),
        previous_secrets_end_at: '2026-11-20T12:01:00.000Z',
      },
    });
    expect(rotated.body.secret).not.toBe(made.secret);
    const dropped = await call(owner, 'DELETE', `/${made.id}/previous-secrets`);
    expect(dropped).toMatchObject({ status: 200, body: { previous_secrets_end_at: null } });
    expect(dropped.text).not.toContain('whsec_');
    const long = await call(owner, 'POST', `/${made.id}/rotate-secret`, { overlap_seconds: 604_801 });
    expect(long.status).toBe(400);
  });
});

describe('a delivery', () => {
  test('can be listed, and read with its payload', async () => {
    const { id } = (await create()).body;
    const asked = await call(owner, 'POST', `/${id}/test`, {});
    expect(asked).toMatchObject({
      status: 201,
      body: {
        id: expect.stringMatching(/^dlv_/),
        webhook_id: id,
        kind: 'test',
        event_type: 'webhook.test',
        state: 'waiting',
        attempts: 0,
        next_attempt_at: t.clock.now(),
      },
    });
    expect((await call(owner, 'GET', `/${id}/deliveries`)).body.data).toEqual([asked.body]);
    expect((await call(owner, 'GET', `/${id}/deliveries?state=failed`)).body.data).toEqual([]);
    expect((await call(owner, 'GET', `/${id}/deliveries/${asked.body.id}`)).body).toEqual({
      ...asked.body,
      attempt_log: [],
      payload: {
        type: 'webhook.test',
        timestamp: t.clock.now(),
        data: { webhook_id: id, project_id: t.projectId, mode: 'live' },
      },
    });
    const again = await call(owner, 'POST', `/${id}/deliveries/${asked.body.id}/replay`, {});
    expect(again).toMatchObject({ status: 409, body: { error: { code: 'conflict' } } });
    const unknown = await call(owner, 'GET', `/${id}/deliveries/dlv_none`);
    expect(unknown.status).toBe(404);
  });

  test('cannot be requested for a disabled webhook', async () => {
    const { id } = (await create()).body;
    await call(owner, 'PATCH', `/${id}`, { enabled: false });
    for (const [path, body] of [
      ['/test', {}],
      ['/replay', { after_seq: 0 }],
    ] as const) {
      expect(await call(owner, 'POST', `/${id}${path}`, body)).toMatchObject({ status: 409 });
    }
    expect((await call(owner, 'GET', `/${id}/deliveries`)).body.data).toEqual([]);
  });

  test('is created for each event of a replayed range', async () => {
    await t.call('POST', '/v1/intents', { key: t.first.agent_key, body: { action: 'a' } });
    const { id } = (await create()).body;
    const replayed = await call(owner, 'POST', `/${id}/replay`, { from: '2026-11-20' });
    expect(replayed).toMatchObject({
      status: 201,
      body: { replay_id: expect.stringMatching(/^rpl_/), queued: 1, next_after_seq: null },
    });
    const listed = await call(owner, 'GET', `/${id}/deliveries?replay_id=${replayed.body.replay_id}`);
    expect(listed.body.data).toMatchObject([{ kind: 'replay', event_type: 'intent.created' }]);
    for (const body of [{}, { to: '2026-11-21' }, { from: 'yesterday' }, { after_seq: -1 }]) {
      expect((await call(owner, 'POST', `/${id}/replay`, body)).status).toBe(400);
    }
    const [event] = await t.events(t.projectId, 'webhook.replayed');
    expect(event?.data).toEqual({ webhook_id: id, replay_id: replayed.body.replay_id, queued: 1 });
  });
});

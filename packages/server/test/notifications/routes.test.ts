/** Notifications over HTTP: a person's own, and the chat of a project. */
import type { FastifyInstance, InjectOptions } from 'fastify';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildApp } from '../../src/http/app.ts';
import { openReach } from '../../src/outgoing/notifications/open-reach.ts';
import { Outgoing } from '../../src/outgoing/outgoing.ts';
import { signedIn } from '../fixtures/signed-in.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';
import { softwareBrowser } from './software-browser.ts';

let t: TestApp;
let app: FastifyInstance;
let ann: Record<string, string>;
let owner: Record<string, string>;

beforeEach(async () => {
  t = await openTestApp({ mode: 'live' });
  const reach = openReach({ configured: true }, new Outgoing({ allowedPrivate: [] }));
  app = await buildApp({ ...t.parts, gate: { ...t.parts.gate, reach } });
  const person = await t.addPerson('ann@example.org', 'approver');
  ann = (await signedIn(t.gate, person.userId)).headers;
  owner = (await signedIn(t.gate, t.owner.userId)).headers;
});
afterEach(async () => {
  await app.close();
  await t.close();
});

async function call(headers: Record<string, string>, method: string, path: string, body?: unknown) {
  const response = await app.inject({
    method: method as NonNullable<InjectOptions['method']>,
    url: `/console${path}`,
    headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
    ...(body === undefined ? {} : { payload: JSON.stringify(body) }),
  });
  return { status: response.statusCode, body: response.payload === '' ? {} : response.json() };
}

const PATH = '/account/notifications';
const DEVICES = '/account/push-subscriptions';
const hookPath = () => `/projects/${t.projectId}/chat-hook`;

function newDevice(endpoint = 'https://push.example.com/s3cret-endpoint') {
  const { p256dh, auth } = softwareBrowser(endpoint);
  return { label: 'Phone', endpoint, keys: { p256dh, auth } };
}

describe('what one is told', () => {
  test('is there before anything was chosen, and stays as it was chosen', async () => {
    const first = await call(ann, 'GET', PATH);
    expect(first).toMatchObject({
      status: 200,
      body: {
        mail_configured: true,
        devices: [],
        push_key: expect.stringMatching(/^[A-Za-z0-9_-]{87}$/),
        preferences: {
          channels: { waiting: { mail: true, push: true }, resolved: { mail: false, push: true } },
          quiet_hours: null,
          muted_projects: [],
          minimum_risk_tier: 'low',
        },
      },
    });
    const wanted = {
      ...first.body.preferences,
      quiet_hours: { from: '22:00', to: '07:00', time_zone: 'Europe/Vienna' },
      muted_projects: [t.projectId],
      minimum_risk_tier: 'high',
    };
    expect(await call(ann, 'PUT', PATH, wanted)).toEqual({ status: 200, body: wanted });
    expect((await call(ann, 'GET', PATH)).body.preferences).toEqual(wanted);
    expect((await call(owner, 'GET', PATH)).body.preferences).toEqual(first.body.preferences);
  });

  test.each([
    [
      'another time zone than there are',
      { quiet_hours: { from: '22:00', to: '07:00', time_zone: 'Mars/Base' } },
    ],
    ['quiet hours without end', { quiet_hours: { from: '22:00', to: '22:00', time_zone: 'UTC' } }],
    ['a time that is none', { quiet_hours: { from: '25:00', to: '07:00', time_zone: 'UTC' } }],
    ['a project of others', { muted_projects: ['prj_01hzzzzzzzzzzzzzzzzzzzzzzz'] }],
    ['a tier that is none', { minimum_risk_tier: 'extreme' }],
    ['something else', { sounds: true }],
  ])('is not %s', async (_, changes) => {
    const { preferences } = (await call(ann, 'GET', PATH)).body;
    expect((await call(ann, 'PUT', PATH, { ...preferences, ...changes })).status).toBe(400);
    expect((await call(ann, 'GET', PATH)).body.preferences).toEqual(preferences);
  });

  test('always has mail about the account', async () => {
    const { preferences } = (await call(ann, 'GET', PATH)).body;
    const channels = { ...preferences.channels, security: { mail: false, push: false } };
    const { status, body } = await call(ann, 'PUT', PATH, { ...preferences, channels });
    expect(status).toBe(400);
    expect(body.error.fields).toEqual([expect.objectContaining({ path: '/channels/security/mail' })]);
  });

  test('can be tried: a message by every channel there is', async () => {
    expect(await call(ann, 'POST', `${PATH}/test`, {})).toEqual({ status: 202, body: { mail: 1, push: 0 } });
    await call(ann, 'POST', DEVICES, newDevice());
    expect(await call(ann, 'POST', `${PATH}/test`, {})).toEqual({ status: 202, body: { mail: 1, push: 1 } });
  });
});

describe('a device', () => {
  test('is added, listed without its address, and removed', async () => {
    const added = await call(ann, 'POST', DEVICES, newDevice());
    expect(added).toMatchObject({ status: 201, body: { label: 'Phone', host: 'push.example.com' } });
    const listed = await call(ann, 'GET', PATH);
    expect(listed.body.devices).toEqual([added.body]);
    expect(JSON.stringify(listed.body)).not.toContain('s3cret');
    expect((await call(owner, 'DELETE', `${DEVICES}/${added.body.id}`)).status).toBe(404);
    expect((await call(ann, 'DELETE', `${DEVICES}/${added.body.id}`)).status).toBe(204);
    expect((await call(ann, 'DELETE', `${DEVICES}/${added.body.id}`)).status).toBe(404);
    expect((await call(ann, 'GET', PATH)).body.devices).toEqual([]);
  });

  test('is not one in the private network, and takes a page of the gate’s own to add', async () => {
    const inside = await call(ann, 'POST', DEVICES, newDevice('https://127.0.0.1/x'));
    expect(inside).toMatchObject({ status: 400, body: { error: { fields: [{ path: '/endpoint' }] } } });
    const elsewhere = { ...ann, origin: 'https://evil.example' };
    expect((await call(elsewhere, 'POST', DEVICES, newDevice())).status).toBe(403);
    expect((await call(ann, 'GET', PATH)).body.devices).toEqual([]);
  });
});

describe('the chat of a project', () => {
  const settings = {
    url: 'https://hooks.example.com/services/s3cret',
    kinds: ['waiting'],
    minimum_risk_tier: 'low',
  };

  test('is connected, changed, tried and disconnected by an admin, and never shows its address', async () => {
    expect(await call(owner, 'GET', hookPath())).toEqual({ status: 200, body: { hook: null } });
    expect((await call(owner, 'POST', `${hookPath()}/test`, {})).status).toBe(404);
    const put = await call(owner, 'PUT', hookPath(), settings);
    expect(put).toMatchObject({
      status: 200,
      body: { hook: { host: 'hooks.example.com', hint: 'cret', kinds: ['waiting'], last_error: null } },
    });
    const { url: _, ...others } = settings;
    expect((await call(owner, 'PUT', hookPath(), { ...others, kinds: ['decided'] })).status).toBe(200);
    const got = await call(owner, 'GET', hookPath());
    expect(got.body.hook).toMatchObject({ host: 'hooks.example.com', kinds: ['decided'] });
    expect(JSON.stringify([put, got])).not.toContain('services');
    expect((await call(owner, 'POST', `${hookPath()}/test`, {})).status).toBe(202);
    expect((await call(owner, 'DELETE', hookPath())).status).toBe(204);
    expect((await call(owner, 'DELETE', hookPath())).status).toBe(404);
    expect(t.log()).not.toContain('s3cret');
  });

  test('is no business of an approver, nor of a stranger to the project', async () => {
    for (const [method, path, body] of [
      ['GET', hookPath()],
      ['PUT', hookPath(), settings],
      ['DELETE', hookPath()],
      ['POST', `${hookPath()}/test`, {}],
    ] as const) {
      expect((await call(ann, method, path, body)).status).toBe(403);
    }
    const unknown = '/projects/prj_01hzzzzzzzzzzzzzzzzzzzzzzz/chat-hook';
    expect((await call(owner, 'PUT', unknown, settings)).status).toBe(404);
    expect(await t.gate.storage.read.findChatHook(t.projectId)).toBeUndefined();
  });

  test('is connected and disconnected only by somebody who is there: a stolen cookie leaves no listener', async () => {
    expect((await call(owner, 'PUT', hookPath(), settings)).status).toBe(200);
    const before = await t.gate.storage.read.findChatHook(t.projectId);
    t.clock.advance(16 * 60);
    const elsewhere = { ...settings, url: 'https://thief.example.com/x' };
    for (const [method, body] of [['PUT', elsewhere], ['DELETE']] as const) {
      const refused = await call(owner, method, hookPath(), body);
      expect([refused.status, refused.body.error]).toMatchObject([
        403,
        { code: 'proof_required', proof_tier: 'session' },
      ]);
    }
    expect(await t.gate.storage.read.findChatHook(t.projectId)).toEqual(before);
    // What it is, and whether it works, may be looked at.
    expect((await call(owner, 'GET', hookPath())).status).toBe(200);
    expect((await call(owner, 'POST', `${hookPath()}/test`, {})).status).toBe(202);
  });

  test('is not one in the private network', async () => {
    const inside = await call(owner, 'PUT', hookPath(), { ...settings, url: 'https://10.0.0.1/x' });
    expect(inside).toMatchObject({ status: 400, body: { error: { fields: [{ path: '/url' }] } } });
    expect(await t.gate.storage.read.findChatHook(t.projectId)).toBeUndefined();
  });
});

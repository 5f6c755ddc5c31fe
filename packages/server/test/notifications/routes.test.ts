/** Notification settings over HTTP: a person's preferences and devices, and a project's chat hook. */
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

describe('notification preferences', () => {
  test('have defaults, and stay as the person saves them', async () => {
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
    ['an unknown time zone', { quiet_hours: { from: '22:00', to: '07:00', time_zone: 'Mars/Base' } }],
    [
      'quiet hours that end at the time they start',
      { quiet_hours: { from: '22:00', to: '22:00', time_zone: 'UTC' } },
    ],
    ['an invalid time', { quiet_hours: { from: '25:00', to: '07:00', time_zone: 'UTC' } }],
    ['an unknown project', { muted_projects: ['prj_01hzzzzzzzzzzzzzzzzzzzzzzz'] }],
    ['an unknown risk tier', { minimum_risk_tier: 'extreme' }],
    ['an unknown member', { sounds: true }],
  ])('cannot contain %s', async (_, changes) => {
    const { preferences } = (await call(ann, 'GET', PATH)).body;
    expect((await call(ann, 'PUT', PATH, { ...preferences, ...changes })).status).toBe(400);
    expect((await call(ann, 'GET', PATH)).body.preferences).toEqual(preferences);
  });

  test('cannot turn off email about the account', async () => {
    const { preferences } = (await call(ann, 'GET', PATH)).body;
    const channels = { ...preferences.channels, security: { mail: false, push: false } };
    const { status, body } = await call(ann, 'PUT', PATH, { ...preferences, channels });
    expect(status).toBe(400);
    expect(body.error.fields).toEqual([expect.objectContaining({ path: '/channels/security/mail' })]);
  });

  test('can be tested with a message on every available channel', async () => {
    expect(await call(ann, 'POST', `${PATH}/test`, {})).toEqual({ status: 202, body: { mail: 1, push: 0 } });
    await call(ann, 'POST', DEVICES, newDevice());
    expect(await call(ann, 'POST', `${PATH}/test`, {})).toEqual({ status: 202, body: { mail: 1, push: 1 } });
  });
});

describe('a push device', () => {
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

  test('cannot have a private address, and cannot be added from another site’s page', async () => {
    const inside = await call(ann, 'POST', DEVICES, newDevice('https://127.0.0.1/x'));
    expect(inside).toMatchObject({ status: 400, body: { error: { fields: [{ path: '/endpoint' }] } } });
    const elsewhere = { ...ann, origin: 'https://evil.example' };
    expect((await call(elsewhere, 'POST', DEVICES, newDevice())).status).toBe(403);
    expect((await call(ann, 'GET', PATH)).body.devices).toEqual([]);
  });
});

describe('a project’s chat hook', () => {
  const settings = {
    url: 'https://hooks.example.com/services/s3cret',
    kinds: ['waiting'],
    minimum_risk_tier: 'low',
  };

  test('is connected, changed, tested and removed by an owner, and never shows its address', async () => {
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

  test('is refused to approvers and to people outside the project', async () => {
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

  test('can be changed or removed only after a recent sign-in, so a stolen cookie cannot redirect it', async () => {
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
    // Viewing and testing the hook need no recent sign-in.
    expect((await call(owner, 'GET', hookPath())).status).toBe(200);
    expect((await call(owner, 'POST', `${hookPath()}/test`, {})).status).toBe(202);
  });

  test('cannot have a private address', async () => {
    const inside = await call(owner, 'PUT', hookPath(), { ...settings, url: 'https://10.0.0.1/x' });
    expect(inside).toMatchObject({ status: 400, body: { error: { fields: [{ path: '/url' }] } } });
    expect(await t.gate.storage.read.findChatHook(t.projectId)).toBeUndefined();
  });
});

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Person } from '../fixtures/open-test-gate.ts';
import { signedIn } from '../fixtures/signed-in.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';
import { BrowserAt, givePassword, OTHER_PASSWORD, PASSWORD } from './at-the-console.ts';

let t: TestApp;
let ann: Person;
let home: BrowserAt;
beforeEach(async () => {
  t = await openTestApp({ mode: 'live' });
  ann = await t.addPerson('ann@example.org', 'approver');
  await givePassword(t.gate, ann.userId, PASSWORD);
  home = new BrowserAt(t);
  await home.post('/sign-in', { email: 'ann@example.org', password: PASSWORD });
});
afterEach(() => t.close());

const codeOf = ({ body }: { body: Record<string, unknown> }) => (body.error as { code: string }).code;
const signsIn = async (password: string) =>
  (await new BrowserAt(t, '198.51.100.1').post('/sign-in', { email: 'ann@example.org', password })).status ===
  200;

async function linkIdentity(id: string): Promise<void> {
  await t.gate.storage.transaction((tx) =>
    tx.insertIdentity({
      id,
      userId: ann.userId,
      provider: 'example',
      issuer: 'https://id.example',
      subject: id,
      display: 'ann@example.org',
      createdAt: t.clock.now(),
      lastUsedAt: t.clock.now(),
    }),
  );
}

test('the account page shows how the person signs in and lets them change their name', async () => {
  expect((await home.get('/account')).body).toEqual({
    user: { id: ann.userId, email: 'ann@example.org', name: null },
    has_password: true,
    totp: { enabled: false, since: null },
    recovery_codes_left: 0,
    passkeys: [],
    device_keys: [],
    identities: [],
  });
  const renamed = await home.send('PATCH', '/account', { name: '  Ann Example ' });
  expect((renamed.body.user as { name: string }).name).toBe('Ann Example');
  expect((await home.send('PATCH', '/account', { name: 'a\u202eb' })).status).toBe(400);
});

describe('a password change', () => {
  test('ends all other sessions, but not this one', async () => {
    const elsewhere = new BrowserAt(t);
    await elsewhere.post('/sign-in', { email: 'ann@example.org', password: PASSWORD });
    const changed = await home.post('/account/password', { password: OTHER_PASSWORD });
    expect(changed.body).toEqual({ status: 'changed' });
    expect([await home.whoAmI(), await elsewhere.whoAmI()]).toEqual(['ann@example.org', null]);
    expect([await signsIn(PASSWORD), await signsIn(OTHER_PASSWORD)]).toEqual([false, true]);
    const [event] = await t.events(t.projectId, 'password.changed');
    expect(event).toMatchObject({ actor: { id: ann.userId }, data: { how: 'account' } });
    expect(JSON.stringify(event)).not.toContain('argon2');
  });

  test('requires a recent sign-in or the current password', async () => {
    t.clock.advance(16 * 60);
    expect(codeOf(await home.post('/account/password', { password: OTHER_PASSWORD }))).toBe('proof_required');
    const wrong = await home.post('/account/password', { current: 'not it', password: OTHER_PASSWORD });
    expect(codeOf(wrong)).toBe('invalid_proof');
    expect(await signsIn(PASSWORD)).toBe(true);
    const right = await home.post('/account/password', { current: PASSWORD, password: OTHER_PASSWORD });
    expect(right.status).toBe(200);
  });

  test('to a weak password is refused and changes nothing', async () => {
    for (const password of ['short', 'passwordpassword', 'Ann@Example.org', '123456789012'])
      expect(codeOf(await home.post('/account/password', { password }))).toBe('invalid_request');
    expect(await signsIn(PASSWORD)).toBe(true);
  });
});

describe('confirming one’s presence', () => {
  test('requires the password, counts as an attempt, and lasts for 15 minutes', async () => {
    t.clock.advance(16 * 60);
    expect(codeOf(await home.post('/session/confirm', { password: 'not it' }))).toBe('invalid_proof');
    expect(codeOf(await home.post('/account/totp'))).toBe('proof_required');
    expect((await home.post('/session/confirm', { password: PASSWORD })).status).toBe(200);
    t.clock.advance(15 * 60);
    expect((await home.post('/account/totp')).status).toBe(200);
    t.clock.advance(1);
    expect(codeOf(await home.post('/account/totp'))).toBe('proof_required');
  });

  test('with a stolen cookie allows only five wrong passwords', async () => {
    const thief = new BrowserAt(t, '203.0.113.66');
    thief.cookie = home.cookie;
    const statuses = [];
    for (let tries = 0; tries < 7; tries += 1)
      statuses.push((await thief.post('/session/confirm', { password: `guess ${tries}` })).status);
    expect(statuses).toEqual([400, 400, 400, 400, 400, 429, 429]);
    expect((await home.post('/session/confirm', { password: PASSWORD })).status).toBe(200);
  });

  test('requires a session, so tokens and keys can neither confirm nor change the account', async () => {
    for (const key of [ann.token, t.first.secret_key, t.first.agent_key])
      for (const [method, path] of [
        ['GET', '/console/account'],
        ['POST', '/console/account/password'],
        ['POST', '/console/account/totp'],
        ['POST', '/console/session/confirm'],
      ] as const) {
        const body = method === 'POST' ? { password: OTHER_PASSWORD } : undefined;
        expect((await t.call(method, path, { key, body })).status).toBe(403);
      }
    expect(await signsIn(PASSWORD)).toBe(true);
  });
});

describe('a connected identity', () => {
  test('can be removed only by the person it belongs to', async () => {
    await linkIdentity('idn_1');
    const owner = new BrowserAt(t);
    owner.cookie = (await signedIn(t.gate, t.owner.userId)).cookie;
    expect((await owner.send('DELETE', '/account/identities/idn_1')).status).toBe(404);
    expect((await home.send('DELETE', '/account/identities/idn_1')).status).toBe(204);
    expect(await t.gate.storage.read.listIdentities(ann.userId)).toEqual([]);
    expect(await t.events(t.projectId, 'identity.removed')).toHaveLength(1);
  });

  test('cannot be removed when it is the last way to sign in', async () => {
    const eve = await t.addPerson('eve@example.org', 'viewer');
    ann = eve;
    await linkIdentity('idn_2');
    const browser = new BrowserAt(t);
    browser.cookie = (await signedIn(t.gate, eve.userId, ['oidc'])).cookie;
    expect(codeOf(await browser.send('DELETE', '/account/identities/idn_2'))).toBe('conflict');
    expect(await t.gate.storage.read.listIdentities(eve.userId)).toHaveLength(1);
    await browser.post('/account/password', { password: OTHER_PASSWORD });
    expect((await browser.send('DELETE', '/account/identities/idn_2')).status).toBe(204);
  });

  test('cannot be removed from a screen left unlocked', async () => {
    await linkIdentity('idn_3');
    t.clock.advance(16 * 60);
    expect(codeOf(await home.send('DELETE', '/account/identities/idn_3'))).toBe('proof_required');
  });
});

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { makeFirstSetUpLink, makeSetUpLink } from '../../src/people/set-up/make-set-up-link.ts';
import { OWNER_EMAIL } from '../fixtures/open-test-gate.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';
import { BrowserAt, givePassword, OTHER_PASSWORD, PASSWORD } from './at-the-console.ts';

let t: TestApp;
let browser: BrowserAt;
beforeEach(async () => {
  t = await openTestApp({ mode: 'live' });
  browser = new BrowserAt(t);
});
afterEach(() => t.close());

async function tokenOfNewLink(): Promise<string> {
  const [address, token] = (await makeSetUpLink(t.gate))?.split('#') ?? [];
  expect(address).toBe('http://localhost:4000/set-up');
  return token ?? '';
}

const claim = (token: string, more: object = {}, from = browser) =>
  from.post('/set-up', { token, email: 'ann@example.org', name: 'Ann', password: PASSWORD, ...more });

test('the set-up link lets its user claim the owner account with address, name and password, and signs them in', async () => {
  expect((await browser.get('/session')).body).toEqual({
    signed_in: false,
    set_up_needed: true,
    sends_mail: false,
    oidc: [],
  });
  const token = await tokenOfNewLink();
  expect((await browser.post('/set-up/look', { token })).body).toEqual({ email: OWNER_EMAIL });
  expect((await claim(token)).body).toEqual({ status: 'signed_in' });
  const { body } = await browser.get('/session');
  expect(body).toMatchObject({
    user: { id: t.owner.userId, email: 'ann@example.org', name: 'Ann' },
    memberships: [{ project_id: t.projectId, role: 'owner' }],
    methods: ['link'],
  });
  const later = new BrowserAt(t);
  await later.post('/sign-in', { email: 'ann@example.org', password: PASSWORD });
  expect(await later.whoAmI()).toBe('ann@example.org');
  expect((await new BrowserAt(t).get('/session')).body.set_up_needed).toBe(false);
  const [changed] = await t.events(t.projectId, 'member.updated');
  expect(changed).toMatchObject({
    actor: { type: 'operator' },
    data: { user_id: t.owner.userId, email: 'ann@example.org', previous_email: OWNER_EMAIL, role: 'owner' },
  });
  expect(JSON.stringify(await t.events(t.projectId))).not.toContain(token);
});

test('keys of the first owner keep acting for the same person under the new address', async () => {
  await claim(await tokenOfNewLink());
  expect(await t.callerOf(t.first.secret_key)).toMatchObject({
    owner: { id: t.owner.userId, email: 'ann@example.org' },
  });
});

describe('a set-up link', () => {
  test('is created by the first start only, and later starts leave it unchanged', async () => {
    const [, token = ''] = (await makeFirstSetUpLink(t.gate))?.split('#') ?? [];
    expect(await makeFirstSetUpLink(t.gate)).toBeNull();
    expect((await browser.post('/set-up/look', { token })).status).toBe(200);
    const fresh = await tokenOfNewLink();
    expect((await browser.post('/set-up/look', { token })).status).toBe(404);
    await claim(fresh);
    expect([await makeFirstSetUpLink(t.gate), await makeSetUpLink(t.gate)]).toEqual([null, null]);
  });

  test('created by an operator keeps starts from creating one', async () => {
    await tokenOfNewLink();
    expect(await makeFirstSetUpLink(t.gate)).toBeNull();
  });

  test('works once', async () => {
    const token = await tokenOfNewLink();
    await claim(token);
    const again = await claim(
      token,
      { email: 'eve@example.org', password: OTHER_PASSWORD },
      new BrowserAt(t),
    );
    expect(again.status).toBe(404);
    expect((await browser.post('/set-up/look', { token })).status).toBe(404);
    expect(await t.gate.storage.read.findUserByEmail('eve@example.org')).toBeUndefined();
  });

  test('lets only one of two people who follow it at once claim the account', async () => {
    const token = await tokenOfNewLink();
    const answers = await Promise.all(
      ['ann@example.org', 'eve@example.org'].map((email) => claim(token, { email }, new BrowserAt(t))),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
    expect(await t.gate.storage.read.listSessions(t.owner.userId)).toHaveLength(1);
    expect(await t.events(t.projectId, 'password.changed')).toHaveLength(1);
  });

  test('stops working when the next one is created', async () => {
    const first = await tokenOfNewLink();
    const second = await tokenOfNewLink();
    expect((await claim(first)).status).toBe(404);
    expect((await claim(second)).status).toBe(200);
  });

  test('expires after a day', async () => {
    const token = await tokenOfNewLink();
    t.clock.advance(24 * 60 * 60);
    expect((await claim(token)).status).toBe(404);
    expect(await t.gate.storage.read.findPassword(t.owner.userId)).toBeUndefined();
  });

  test('is neither created nor accepted once anyone can sign in', async () => {
    const token = await tokenOfNewLink();
    const bob = await t.addPerson('bob@example.org', 'viewer');
    await givePassword(t.gate, bob.userId, PASSWORD);
    expect(await makeSetUpLink(t.gate)).toBeNull();
    expect((await claim(token)).status).toBe(404);
  });

  test('that never existed is refused before anything is hashed', async () => {
    const before = t.gate.passwords.runs;
    for (const token of ['A'.repeat(43), 'x', '%00']) expect((await claim(token)).status).toBe(404);
    expect(t.gate.passwords.runs).toBe(before);
  });
});

test('a set-up with a bad password, address or name is refused with the field named, and the link still works', async () => {
  const token = await tokenOfNewLink();
  const refused = [
    await claim(token, { password: 'short' }),
    await claim(token, { password: 'password123456' }),
    await claim(token, { password: 'ann@example.org' }),
    await claim(token, { email: 'no address' }),
    await claim(token, { name: ' \u202e ' }),
  ];
  expect(refused.map(({ status }) => status)).toEqual([400, 400, 400, 400, 400]);
  expect(refused.map(({ body }) => (body.error as { fields: { path: string }[] }).fields[0]?.path)).toEqual([
    '/password',
    '/password',
    '/password',
    '/email',
    '/name',
  ]);
  expect((await claim(token)).status).toBe(200);
});

test('a set-up with another person’s address is a conflict, and the link still works', async () => {
  await t.addPerson('bob@example.org', 'viewer');
  const token = await tokenOfNewLink();
  const answer = await claim(token, { email: 'Bob@example.org' });
  expect(answer.status).toBe(409);
  expect((await claim(token)).status).toBe(200);
});

import { hash } from '@node-rs/argon2';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { removeMember } from '../../src/people/members/remove-member.ts';
import type { Person } from '../fixtures/open-test-gate.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';
import { BrowserAt, givePassword, OTHER_PASSWORD, PASSWORD } from './at-the-console.ts';

let t: TestApp;
let ann: Person;
let browser: BrowserAt;
beforeEach(async () => {
  t = await openTestApp({ mode: 'live' });
  ann = await t.addPerson('ann@example.org', 'approver');
  await givePassword(t.gate, ann.userId, PASSWORD);
  browser = new BrowserAt(t);
});
afterEach(() => t.close());

const signIn = (password = PASSWORD, email = 'ann@example.org', from = browser) =>
  from.post('/sign-in', { email, password });

describe('signing in', () => {
  test('with address and password sets a session cookie', async () => {
    const answer = await signIn();
    expect([answer.status, answer.body]).toEqual([200, { status: 'signed_in' }]);
    expect(answer.headers['set-cookie']).toMatch(
      /^__Host-permitry_session=[A-Za-z0-9_-]{43}; Max-Age=604800; Path=\/; HttpOnly; Secure; SameSite=Strict$/,
    );
    expect(await browser.whoAmI()).toBe('ann@example.org');
    const [session] = await t.gate.storage.read.listSessions(ann.userId);
    expect(session).toMatchObject({ methods: ['password'], address: '192.0.2.1' });
    expect(answer.text).not.toContain(browser.cookie?.split('=')[1] ?? '-');
  });

  test('accepts any spelling of the address and any Unicode form of the password', async () => {
    await givePassword(t.gate, ann.userId, 'caf\u00e9 on the hill 12');
    const answer = await signIn('cafe\u0301 on the hill 12', ' Ann@Example.ORG ');
    expect(answer.status).toBe(200);
  });

  test('ends the browser’s previous session, so nobody who planted it can use it', async () => {
    await signIn();
    const planted = browser.cookie;
    await signIn();
    expect(browser.cookie).not.toBe(planted);
    const attacker = new BrowserAt(t);
    attacker.cookie = planted;
    expect(await attacker.whoAmI()).toBeNull();
    expect(await browser.whoAmI()).toBe('ann@example.org');
  });

  test('replaces a cookie that the gate never issued', async () => {
    browser.cookie = `__Host-permitry_session=${'A'.repeat(43)}`;
    await signIn();
    expect(browser.cookie).not.toContain('AAAAAAAA');
    expect(await browser.whoAmI()).toBe('ann@example.org');
  });

  test('after removal from every project gives access to no project', async () => {
    await removeMember(t.gate, t.operator, { projectId: t.projectId, userId: ann.userId });
    expect((await signIn()).status).toBe(200);
    expect((await browser.get('/session')).body.memberships).toEqual([]);
  });

  test('rehashes a password that was stored with old parameters', async () => {
    const old = await hash(PASSWORD, { memoryCost: 8192, timeCost: 1 });
    await t.gate.storage.transaction((tx) =>
      tx.savePassword({ userId: ann.userId, hash: old, changedAt: t.clock.now() }),
    );
    expect((await signIn()).status).toBe(200);
    const stored = await t.gate.storage.read.findPassword(ann.userId);
    expect(stored?.hash).toContain('$argon2id$v=19$m=19456,t=2,p=1$');
    expect((await signIn()).status).toBe(200);
  });
});

describe('a sign-in attempt', () => {
  test('with a wrong password or an unknown address gets the same answer after one argon2 run', async () => {
    const outcomes = [];
    for (const [email, password] of [
      ['ann@example.org', 'not her password'],
      ['nobody@example.org', PASSWORD],
      ['owner@example.org', PASSWORD],
      ['not an address', PASSWORD],
    ] as const) {
      const before = t.gate.passwords.runs;
      const answer = await signIn(password, email, new BrowserAt(t, `192.0.2.${outcomes.length + 10}`));
      const { 'x-request-id': id, date: _, ...headers } = answer.headers;
      const text = answer.text.replace(String(id), '<id>');
      outcomes.push({ status: answer.status, text, headers, runs: t.gate.passwords.runs - before });
    }
    expect(outcomes[0]).toMatchObject({ status: 401, runs: 1 });
    expect(outcomes[0]?.text).toContain('The email address or the password is wrong.');
    for (const outcome of outcomes) expect(outcome).toEqual(outcomes[0]);
    expect(await t.gate.storage.read.listSessions(ann.userId)).toEqual([]);
  });

  test('with an overlong password is refused without hashing it', async () => {
    const before = t.gate.passwords.runs;
    expect((await signIn('x'.repeat(1001))).status).toBe(400);
    expect(t.gate.passwords.runs).toBe(before);
  });

  test('with a password that is changed during the check is refused', async () => {
    const { passwords } = t.gate;
    const verify = passwords.verify.bind(passwords);
    passwords.verify = async (stored, typed) => {
      const fits = await verify(stored, typed);
      await givePassword(t.gate, ann.userId, OTHER_PASSWORD);
      return fits;
    };
    expect((await signIn()).status).toBe(401);
    expect(await t.gate.storage.read.listSessions(ann.userId)).toEqual([]);
  });

  test('leaves neither a password nor a cookie in the log', async () => {
    await signIn();
    await signIn('not her password');
    expect(t.log()).not.toContain(PASSWORD);
    expect(t.log()).not.toContain('not her password');
    expect(t.log()).not.toContain(browser.cookie?.split('=')[1] ?? '-');
  });
});

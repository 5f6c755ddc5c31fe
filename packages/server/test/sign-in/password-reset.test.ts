import { generateSync } from 'otplib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sweepLinks } from '../../src/ops/chores/sweeps.ts';
import type { AccountMail } from '../../src/people/account-mail.ts';
import { makeResetLink, requestPasswordReset } from '../../src/people/recovery/password-reset.ts';
import type { Person } from '../fixtures/open-test-gate.ts';
import { refusalOf } from '../fixtures/refusal-of.ts';
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

/** A gate that sends email, and a list of what it would have sent. */
function withMail() {
  const sent: { kind: string; to: string; link?: string }[] = [];
  const accountMail: AccountMail = {
    configured: true,
    invitation: ({ to, link }) => sent.push({ kind: 'invitation', to, link }),
    passwordReset: ({ to, link }) => sent.push({ kind: 'reset', to, link }),
    passwordChanged: ({ to }) => sent.push({ kind: 'changed', to }),
  };
  return { gate: { ...t.gate, accountMail }, sent };
}

async function tokenByOperator(): Promise<string> {
  const { link } = await makeResetLink(t.gate, t.operator, { email: 'ann@example.org' });
  expect(link).toMatch(/^http:\/\/localhost:4000\/reset-password#[A-Za-z0-9_-]{43}$/);
  return link.split('#')[1] ?? '';
}

const finish = (token: string, password = OTHER_PASSWORD) =>
  new BrowserAt(t).post('/password-reset/finish', { token, password });

test('a reset link sets a password and ends all sessions, but signs nobody in', async () => {
  const answer = await finish(await tokenByOperator());
  expect([answer.status, answer.body, answer.headers['set-cookie']]).toEqual([
    200,
    { status: 'changed' },
    undefined,
  ]);
  expect(await home.whoAmI()).toBeNull();
  const statusWith = async (password: string) =>
    (await new BrowserAt(t).post('/sign-in', { email: 'ann@example.org', password })).status;
  expect([await statusWith(PASSWORD), await statusWith(OTHER_PASSWORD)]).toEqual([401, 200]);
  const [event] = await t.events(t.projectId, 'password.changed');
  expect(event?.data).toEqual({ user_id: ann.userId, how: 'reset_link' });
});

test('a password reset keeps the second factor', async () => {
  const { body } = await home.post('/account/totp');
  const secret = String(body.secret);
  const codeNow = () => generateSync({ secret, epoch: Date.parse(t.clock.now()) / 1000 });
  await home.post('/account/totp/confirm', { code: codeNow() });
  await finish(await tokenByOperator());
  const browser = new BrowserAt(t);
  const first = await browser.post('/sign-in', { email: 'ann@example.org', password: OTHER_PASSWORD });
  expect(first.body).toMatchObject({ status: 'second_factor' });
  expect(await browser.whoAmI()).toBeNull();
});

test('the operator can remove a second factor when the app and the codes are lost', async () => {
  const { body } = await home.post('/account/totp');
  const code = generateSync({ secret: String(body.secret), epoch: Date.parse(t.clock.now()) / 1000 });
  await home.post('/account/totp/confirm', { code });
  await makeResetLink(t.gate, t.operator, { email: 'ann@example.org', dropSecondFactor: true });
  expect(await t.gate.storage.read.findTotp(ann.userId)).toBeUndefined();
  expect(await t.gate.storage.read.countRecoveryCodes(ann.userId)).toBe(0);
  expect((await t.events(t.projectId, 'second_factor.removed'))[0]?.actor.type).toBe('operator');
});

describe('a reset link', () => {
  test('works once, even when two people use it at once', async () => {
    const token = await tokenByOperator();
    const statuses = (await Promise.all([finish(token), finish(token)])).map(({ status }) => status);
    expect(statuses.sort()).toEqual([200, 404]);
    expect((await finish(token)).status).toBe(404);
  });

  test('sent by email expires after half an hour or when the next one is sent', async () => {
    const { gate, sent } = withMail();
    await requestPasswordReset(gate, { email: 'Ann@Example.org', address: '192.0.2.7' });
    await requestPasswordReset(gate, { email: 'ann@example.org', address: '192.0.2.7' });
    expect(sent.map(({ kind, to }) => [kind, to])).toEqual([
      ['reset', 'ann@example.org'],
      ['reset', 'ann@example.org'],
    ]);
    const tokens = sent.map(({ link }) => link?.split('#')[1] ?? '');
    expect((await finish(tokens[0] ?? '')).status).toBe(404);
    t.clock.advance(30 * 60);
    expect((await finish(tokens[1] ?? '')).status).toBe(404);
    expect(await sweepLinks(t.gate)).toBe(1);
  });

  test('stops working when the person changes the password', async () => {
    const token = await tokenByOperator();
    expect((await home.post('/account/password', { password: 'nine quiet owls listen' })).status).toBe(200);
    expect((await finish(token)).status).toBe(404);
  });

  test('refuses a weak password and still works afterwards', async () => {
    const token = await tokenByOperator();
    expect((await finish(token, 'ann@example.org')).status).toBe(400);
    expect((await finish(token)).status).toBe(200);
  });
});

describe('asking for a reset link', () => {
  test('gets the same answer whether or not the address has an account', async () => {
    const answers = await Promise.all(
      ['ann@example.org', 'nobody@example.org', 'no address'].map((email) =>
        new BrowserAt(t).post('/password-reset', { email }),
      ),
    );
    for (const { status, body } of answers) expect([status, body]).toEqual([202, { status: 'sent' }]);
  });

  test('sends nothing to unknown addresses and only a few emails to known ones', async () => {
    const { gate, sent } = withMail();
    const ask = (email: string, address: string) => requestPasswordReset(gate, { email, address });
    await ask('nobody@example.org', '192.0.2.7');
    expect(sent).toEqual([]);
    for (let times = 0; times < 12; times += 1) await ask('ann@example.org', `192.0.2.${times}`);
    expect(sent).toHaveLength(5);
    t.clock.advance(60);
    for (let times = 0; times < 3; times += 1) await ask('ann@example.org', '192.0.2.7');
    expect(sent).toHaveLength(6);
  });

  test('sends nothing to a person without a project', async () => {
    const { gate, sent } = withMail();
    await t.gate.storage.transaction((tx) =>
      tx.insertUser({ id: 'usr_gone', email: 'gone@example.org', name: null, createdAt: t.clock.now() }),
    );
    await requestPasswordReset(gate, { email: 'gone@example.org', address: '192.0.2.7' });
    expect(sent).toEqual([]);
  });
});

test('only the operator can create a reset link without email, and only for members', async () => {
  const asked = { email: 'ann@example.org' };
  expect((await refusalOf(makeResetLink(t.gate, t.owner.caller, asked))).code).toBe('forbidden');
  const unknown = makeResetLink(t.gate, t.operator, { email: 'nobody@example.org' });
  expect((await refusalOf(unknown)).code).toBe('not_found');
});

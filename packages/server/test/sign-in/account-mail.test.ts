/** Links sent by email, with a real SMTP server. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { buildApp } from '../../src/http/app.ts';
import { createAccountMail } from '../../src/outgoing/mail/account-mail.ts';
import { readSmtpUrl } from '../../src/outgoing/mail/mail-settings.ts';
import { createMailer, type Mailer } from '../../src/outgoing/mail/mailer.ts';
import { createInvitation } from '../../src/people/invitations/create-invitation.ts';
import { changePassword } from '../../src/people/passwords/change-password.ts';
import { signedIn } from '../fixtures/signed-in.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';
import { type MailReceiver, receiveMail } from '../outgoing/receive-mail.ts';
import { BrowserAt, givePassword, OTHER_PASSWORD, PASSWORD } from './at-the-console.ts';

let t: TestApp;
let post: MailReceiver;
let mailer: Mailer;
let failures: unknown[];
beforeEach(async () => {
  t = await openTestApp({ mode: 'live' });
  post = await receiveMail();
  mailer = await createMailer({ smtp: readSmtpUrl(post.url), from: null, baseUrl: t.gate.issuer });
  failures = [];
});
afterEach(async () => {
  mailer.close();
  await post.close();
  await t.close();
});

const gateWithMail = () => ({
  ...t.gate,
  accountMail: createAccountMail(mailer, (error) => void failures.push(error)),
});
const linkIn = (text: string | undefined) => /http:\/\/localhost:4000\/[a-z-]+#([\w-]{43})/.exec(text ?? '');

test('an invitation email goes only to the invited person, and its link works', async () => {
  const admin = await t.addPerson('admin@example.org', 'admin');
  const caller = await (await signedIn(t.gate, admin.userId)).caller();
  const sent = await createInvitation(gateWithMail(), caller, {
    projectId: t.projectId,
    email: 'bob@example.org',
    role: 'approver',
  });
  expect(sent.link).toBeNull();
  const [mail] = await post.waitFor(1);
  expect([mail?.recipients, mail?.subject]).toEqual([['bob@example.org'], 'You are invited to First']);
  expect(mail?.text).toContain('admin@example.org invited you');
  const [, token = ''] = linkIn(mail?.text) ?? [];
  expect(mail?.html).toContain(`/invitation#${token}`);
  const accepted = await new BrowserAt(t).post('/invitations/accept', {
    token,
    name: 'Bob',
    password: PASSWORD,
  });
  expect(accepted.status).toBe(200);
});

test('a forgotten password can be reset by email, and a second email confirms the change', async () => {
  const ann = await t.addPerson('ann@example.org', 'approver');
  await givePassword(t.gate, ann.userId, PASSWORD);
  const app = await buildApp({ ...t.parts, gate: gateWithMail() });
  const ask = (url: string, payload: object) =>
    app.inject({ method: 'POST', url, payload, headers: { origin: 'http://localhost:4000' } });
  expect((await ask('/console/password-reset', { email: 'nobody@example.org' })).statusCode).toBe(202);
  expect((await ask('/console/password-reset', { email: 'ann@example.org' })).statusCode).toBe(202);
  const [mail] = await post.waitFor(1);
  expect(mail?.recipients).toEqual(['ann@example.org']);
  const [, token = ''] = linkIn(mail?.text) ?? [];
  const changed = await ask('/console/password-reset/finish', { token, password: OTHER_PASSWORD });
  expect(changed.json()).toEqual({ status: 'changed' });
  const [, told] = await post.waitFor(2);
  expect(told?.subject).toBe('Your password was changed');
  expect(post.received).toHaveLength(2);
  await app.close();
});

test('a first password set by a person who signs in through a provider is confirmed by email too', async () => {
  const ann = await t.addPerson('ann@example.org', 'approver');
  const caller = await (await signedIn(t.gate, ann.userId, ['oidc'])).caller();
  await changePassword(gateWithMail(), caller, { password: PASSWORD, address: null });
  const [told] = await post.waitFor(1);
  expect([told?.recipients, told?.subject]).toEqual([['ann@example.org'], 'Your password was changed']);
});

test('an invitation succeeds while the mail server is down, and the failure is reported', async () => {
  await post.close();
  const { invitation } = await createInvitation(gateWithMail(), await t.owner.present(), {
    projectId: t.projectId,
    email: 'bob@example.org',
    role: 'viewer',
  });
  await expect.poll(() => failures.length).toBe(1);
  expect(JSON.stringify(failures)).not.toContain(invitation.tokenHash);
  post = await receiveMail();
});

import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createInvitation } from '../../src/people/invitations/create-invitation.ts';
import { listInvitations } from '../../src/people/invitations/list-invitations.ts';
import { resendInvitation, revokeInvitation } from '../../src/people/invitations/revoke-invitation.ts';
import { changeRole } from '../../src/people/members/change-role.ts';
import { removeMember } from '../../src/people/members/remove-member.ts';
import type { Person } from '../fixtures/open-test-gate.ts';
import { refusalOf } from '../fixtures/refusal-of.ts';
import { signedIn } from '../fixtures/signed-in.ts';
import { openTestApp, type TestApp } from '../http/open-test-app.ts';
import { BrowserAt, givePassword, PASSWORD } from './at-the-console.ts';

let t: TestApp;
let admin: Person;
beforeEach(async () => {
  t = await openTestApp({ mode: 'live' });
  admin = await t.addPerson('admin@example.org', 'admin');
});
afterEach(() => t.close());

const invite = async (
  email: string,
  role: 'viewer' | 'approver' | 'admin' | 'owner' = 'approver',
  caller?: Parameters<typeof createInvitation>[1],
) => createInvitation(t.gate, caller ?? (await admin.present()), { projectId: t.projectId, email, role });

const tokenIn = (sent: { link: string | null }) => sent.link?.split('#')[1] ?? '';
const accept = (token: string, browser = new BrowserAt(t), name = 'Bob') =>
  browser.post('/invitations/accept', { token, name, password: PASSWORD });
const memberOf = async (email: string) =>
  (await t.gate.storage.read.listMembers(t.projectId)).find((member) => member.email === email);

describe('an invited person without an account', () => {
  test('becomes a signed-in member by following the link and choosing a name and a password', async () => {
    const sent = await invite('Bob@example.org');
    expect(sent.link).toMatch(/^http:\/\/localhost:4000\/invitation#[A-Za-z0-9_-]{43}$/);
    const browser = new BrowserAt(t);
    const token = tokenIn(sent);
    expect((await browser.post('/invitations/look', { token })).body).toEqual({
      project_name: 'First',
      mode: 'live',
      role: 'approver',
      email: 'bob@example.org',
      has_account: false,
      invited_by: 'admin@example.org',
    });
    expect((await accept(token, browser)).body).toEqual({ status: 'signed_in' });
    expect((await browser.get('/session')).body).toMatchObject({
      user: { email: 'bob@example.org', name: 'Bob' },
      memberships: [{ project_id: t.projectId, role: 'approver' }],
    });
    const [, invited, added] = await t.events(t.projectId, 'member.invited', 'member.added');
    expect(invited?.data).toMatchObject({ email: 'bob@example.org', role: 'approver' });
    expect(added).toMatchObject({
      actor: { type: 'user', display: 'bob@example.org' },
      data: { email: 'bob@example.org', invited_by_id: admin.userId, invited_by: 'admin@example.org' },
    });
    expect(JSON.stringify(await t.events(t.projectId))).not.toContain(token);
  });

  test('who gives no name or password is refused, with both fields named, and the link still works', async () => {
    const token = tokenIn(await invite('bob@example.org'));
    const { status, body } = await new BrowserAt(t).post('/invitations/accept', { token });
    expect([status, (body.error as { fields: { path: string }[] }).fields.map(({ path }) => path)]).toEqual([
      400,
      ['/name', '/password'],
    ]);
    expect((await accept(token)).status).toBe(200);
  });
});

describe('an invited person with an account', () => {
  test('signs in first and then joins in the same session', async () => {
    const other = await t.addPerson('bob@example.org', 'viewer');
    await givePassword(t.gate, other.userId, PASSWORD);
    await removeMember(t.gate, t.operator, { projectId: t.projectId, userId: other.userId });
    const token = tokenIn(await invite('bob@example.org'));
    const browser = new BrowserAt(t);
    expect((await browser.post('/invitations/look', { token })).body.has_account).toBe(true);
    expect((await accept(token, browser)).status).toBe(401);
    expect(await memberOf('bob@example.org')).toBeUndefined();

    await browser.post('/sign-in', { email: 'bob@example.org', password: PASSWORD });
    const { cookie } = browser;
    expect((await browser.post('/invitations/accept', { token })).status).toBe(200);
    expect(browser.cookie).toBe(cookie);
    expect(await memberOf('bob@example.org')).toMatchObject({ role: 'approver' });
  });

  test('cannot be replaced by another person who is signed in', async () => {
    const bob = await t.addPerson('bob@example.org', 'viewer');
    await givePassword(t.gate, bob.userId, PASSWORD);
    await removeMember(t.gate, t.operator, { projectId: t.projectId, userId: bob.userId });
    const token = tokenIn(await invite('bob@example.org', 'admin'));
    const eve = new BrowserAt(t);
    eve.cookie = (await signedIn(t.gate, admin.userId)).cookie;
    expect((await eve.post('/invitations/accept', { token })).status).toBe(403);
    expect(await memberOf('bob@example.org')).toBeUndefined();
  });

  test('who has never signed in keeps the account, because the link cannot set its password', async () => {
    const carol = await t.addPerson('carol@example.org', 'viewer');
    const { createProject } = await import('../../src/gate/projects/create-project.ts');
    const { project } = await createProject(t.gate, t.operator, {
      name: 'Other',
      mode: 'live',
      ownerEmail: 'eve@example.org',
    });
    const sent = await createInvitation(t.gate, t.operator, {
      projectId: project.id,
      email: 'carol@example.org',
      role: 'viewer',
    });
    expect((await accept(tokenIn(sent))).status).toBe(401);
    expect(await t.gate.storage.read.findPassword(carol.userId)).toBeUndefined();
  });
});

describe('an invitation link', () => {
  test('works once, even when three people follow it at once', async () => {
    const token = tokenIn(await invite('bob@example.org'));
    const statuses = (await Promise.all([accept(token), accept(token), accept(token)])).map((a) => a.status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect((await accept(token)).status).not.toBe(200);
    expect(await t.events(t.projectId, 'member.added')).toHaveLength(2);
  });

  test('expires after a week', async () => {
    const token = tokenIn(await invite('bob@example.org'));
    t.clock.advance(7 * 24 * 60 * 60);
    expect((await accept(token)).status).toBe(404);
    expect((await invite('bob@example.org', 'approver', t.operator)).link).not.toBeNull();
  });

  test('stops working when it is resent or revoked', async () => {
    const { invitation, link } = await invite('bob@example.org');
    const input = { projectId: t.projectId, invitationId: invitation.id };
    const renewed = await resendInvitation(t.gate, await admin.present(), input);
    expect((await accept(tokenIn({ link }))).status).toBe(404);
    await revokeInvitation(t.gate, await admin.present(), input);
    await revokeInvitation(t.gate, await admin.present(), input);
    expect((await accept(tokenIn(renewed))).status).toBe(404);
    expect((await refusalOf(resendInvitation(t.gate, await admin.present(), input))).code).toBe('conflict');
    expect(await t.events(t.projectId, 'invitation.revoked')).toHaveLength(1);
    expect(await memberOf('bob@example.org')).toBeUndefined();
  });

  test('stops working while its sender is no longer allowed to invite', async () => {
    const token = tokenIn(await invite('bob@example.org'));
    const { userId } = admin;
    await changeRole(t.gate, t.operator, { projectId: t.projectId, userId, role: 'viewer' });
    expect((await accept(token)).status).toBe(404);
    await changeRole(t.gate, t.operator, { projectId: t.projectId, userId, role: 'admin' });
    expect((await accept(token)).status).toBe(200);
  });
});

describe('inviting', () => {
  test('is refused for a role above one’s own, a member or a person already invited', async () => {
    expect((await refusalOf(invite('bob@example.org', 'owner'))).code).toBe('forbidden');
    expect((await refusalOf(invite('admin@example.org'))).code).toBe('conflict');
    await invite('bob@example.org');
    expect((await refusalOf(invite('BOB@example.org', 'viewer'))).code).toBe('conflict');
    expect((await refusalOf(invite('no address'))).code).toBe('invalid_fields');
    expect(await t.events(t.projectId, 'member.invited')).toHaveLength(1);
  });

  test('requires a present person with the right role in live mode', async () => {
    const { owner } = t;
    const approver = await t.addPerson('ann@example.org', 'approver');
    const present = [await approver.present()];
    for (const caller of [t.secret, t.agent, t.verifier, approver.caller, owner.caller, ...present])
      expect((await refusalOf(invite('bob@example.org', 'viewer', caller))).code).toBe('forbidden');
    expect(await t.events(t.projectId, 'member.invited')).toEqual([]);
    expect((await invite('bob@example.org', 'viewer')).invitation.invitedBy).toBe(admin.userId);
  });

  test('by email shows the link only to the invited person', async () => {
    const sent: string[] = [];
    const accountMail = {
      ...t.gate.accountMail,
      configured: true,
      invitation: (mail: { to: string; link: string }) => void sent.push(mail.to, mail.link),
    };
    const gate = { ...t.gate, accountMail };
    const outcome = await createInvitation(gate, await admin.present(), {
      projectId: t.projectId,
      email: 'bob@example.org',
      role: 'viewer',
    });
    expect(outcome.link).toBeNull();
    expect(sent).toEqual(['bob@example.org', expect.stringContaining('/invitation#')]);
  });

  test('is shown in a list, newest first', async () => {
    await invite('bob@example.org');
    const { invitation } = await invite('carol@example.org');
    const page = await listInvitations(t.gate, admin.caller, { projectId: t.projectId, limit: 1 });
    expect(page.items.map(({ email }) => email)).toEqual(['carol@example.org']);
    const rest = await listInvitations(t.gate, admin.caller, {
      projectId: t.projectId,
      cursor: page.nextCursor ?? '',
    });
    expect(rest.items.map(({ email }) => email)).toEqual(['bob@example.org']);
    expect(invitation.id).toMatch(/^inv_/);
  });
});

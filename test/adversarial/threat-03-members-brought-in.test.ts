/** Threat 3: a requester cannot make its own approver, at first or at further hand, however present that one is. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createInvitation } from '../../packages/server/src/identity/invitations/create-invitation.ts';
import { resendInvitation } from '../../packages/server/src/identity/invitations/revoke-invitation.ts';
import { addMember } from '../../packages/server/src/identity/members/add-member.ts';
import { removeMember } from '../../packages/server/src/identity/members/remove-member.ts';
import type { Person } from '../../packages/server/test/fixtures/open-test-gate.ts';
import { type SignedIn, signedIn } from '../../packages/server/test/fixtures/signed-in.ts';
import { BrowserAt, PASSWORD } from '../../packages/server/test/sign-in/at-the-console.ts';
import { type Door, expectRefused, idOf } from './doors.ts';
import { type Arena, openArena } from './open-arena.ts';

let t: Arena;
let ann: Person;
let requesters: Record<'her service' | 'an agent whose key her token minted', string>;
beforeAll(async () => {
  t = await openArena({ mode: 'live' });
  ann = await t.addPerson('ann@example.org', 'admin');
  const minted = await t.call('POST', `/v1/projects/${t.projectId}/keys`, {
    key: ann.token,
    body: { kind: 'agent', name: 'minted', agent_id: t.agentId },
  });
  requesters = {
    'her service': (await t.addService('ann@example.org')).key,
    'an agent whose key her token minted': String(minted.body.key),
  };
});
afterAll(() => t.close());

type Inviter = Parameters<typeof createInvitation>[1];

/** Follows the link as a program would that was handed it, and is signed in like a person present. */
async function comesIn(email: string, sent: { link: string | null }): Promise<SignedIn['headers']> {
  const browser = new BrowserAt(t);
  const token = sent.link?.split('#')[1] ?? '';
  const answer = await browser.post('/invitations/accept', { token, name: email, password: PASSWORD });
  expect(answer.status).toBe(200);
  return { cookie: browser.cookie ?? '', origin: new URL(t.gate.issuer).origin };
}

async function invitedBy(caller: Inviter, email: string, role: 'approver' | 'admin' = 'admin') {
  return comesIn(email, await createInvitation(t.gate, caller, { projectId: t.projectId, email, role }));
}

/** Whether the person at this session may decide what either of Ann's programs asked for. */
async function decides(door: Door, headers: SignedIn['headers']): Promise<boolean[]> {
  const outcomes: boolean[] = [];
  for (const key of Object.values(requesters)) {
    const id = idOf(await door.create(key, 'payments.refund', { amount: 5 }));
    const answer = await t.call('POST', `/v1/intents/${id}/approve`, { headers, body: {} });
    const denied = await t.call('POST', `/v1/intents/${id}/deny`, { headers, body: {} });
    if (answer.status === 403) {
      expectRefused('B', answer, 403, 'FORBIDDEN', { required: 'separation_of_duties' });
      expect(denied.status).toBe(403);
      expect((await t.gate.storage.read.findIntent(id))?.status).toBe('pending');
    }
    outcomes.push(answer.status === 200);
    t.clock.advance(60);
  }
  return outcomes;
}

describe('in live mode, a member whom Ann’s program', () => {
  it('invited decides nothing that her programs asked for', async () => {
    expect(await decides(t.doors[0], await invitedBy(ann.caller, 'puppet@example.org'))).toEqual([
      false,
      false,
    ]);
  });

  it('added, who signs in later, neither', async () => {
    const { userId } = await addMember(t.gate, ann.caller, {
      projectId: t.projectId,
      email: 'added@example.org',
      role: 'approver',
    });
    expect(await decides(t.doors[1], (await signedIn(t.gate, userId)).headers)).toEqual([false, false]);
  });

  it('invited, and who then invites another, present: that one neither, also once the first is gone', async () => {
    const first = await invitedBy(ann.caller, 'first@example.org');
    const firstUser = await t.gate.storage.read.findUserByEmail('first@example.org');
    const made = await t.call('POST', `/console/projects/${t.projectId}/invitations`, {
      headers: first,
      body: { email: 'second@example.org', role: 'approver' },
    });
    expect(made.status).toBe(201);
    const second = await comesIn('second@example.org', { link: String(made.body.link) });
    await removeMember(t.gate, t.operator, { projectId: t.projectId, userId: firstUser?.id ?? '' });
    expect(await decides(t.doors[0], second)).toEqual([false, false]);
  });

  it('was handed the link of, by sending somebody else’s invitation again, neither', async () => {
    const { invitation } = await createInvitation(t.gate, t.operator, {
      projectId: t.projectId,
      email: 'resent@example.org',
      role: 'approver',
    });
    const again = await resendInvitation(t.gate, ann.caller, {
      projectId: t.projectId,
      invitationId: invitation.id,
    });
    expect(await decides(t.doors[0], await comesIn('resent@example.org', again))).toEqual([false, false]);
  });
});

describe('who may', () => {
  it('a member whom Ann invited, present: she could have decided herself', async () => {
    const present = await (await signedIn(t.gate, ann.userId)).caller();
    expect(await decides(t.doors[0], await invitedBy(present, 'colleague@example.org'))).toEqual([
      true,
      true,
    ]);
  });

  it('a member whom somebody else’s program invited', async () => {
    expect(await decides(t.doors[0], await invitedBy(t.owner.caller, 'other@example.org'))).toEqual([
      true,
      true,
    ]);
  });

  it('a brought-in member what nobody’s program of Ann asked for', async () => {
    const headers = await invitedBy(ann.caller, 'third@example.org');
    const id = idOf(await t.doors[0].create(t.first.agent_key, 'payments.refund', { amount: 5 }));
    const answer = await t.call('POST', `/v1/intents/${id}/approve`, { headers, body: {} });
    expect(answer.status).toBe(200);
  });
});

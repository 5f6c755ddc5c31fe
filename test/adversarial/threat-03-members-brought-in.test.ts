/**
 * Threat 3: a requester cannot create its own approver, directly or through others, not even one with a proof of
 * presence.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createInvitation } from '../../packages/server/src/people/invitations/create-invitation.ts';
import { resendInvitation } from '../../packages/server/src/people/invitations/revoke-invitation.ts';
import { addMember } from '../../packages/server/src/people/members/add-member.ts';
import { removeMember } from '../../packages/server/src/people/members/remove-member.ts';
import { asShown } from '../../packages/server/test/fixtures/as-shown.ts';
import { broughtIn } from '../../packages/server/test/fixtures/brought-in.ts';
import type { Person } from '../../packages/server/test/fixtures/open-test-gate.ts';
import { refusalOf } from '../../packages/server/test/fixtures/refusal-of.ts';
import type { SignedIn } from '../../packages/server/test/fixtures/signed-in.ts';
import { BrowserAt, PASSWORD } from '../../packages/server/test/sign-in/at-the-console.ts';
import { type Arena, openArena } from './open-arena.ts';
import { expectRefused, idOf, type Surface } from './surfaces.ts';

let t: Arena;
let ann: Person;
let requesters: Record<'her service' | 'an agent with a key made by a member whom her program added', string>;
beforeAll(async () => {
  t = await openArena({ mode: 'live' });
  ann = await t.addPerson('ann@example.org', 'admin');
  const helper = await broughtIn(t, [ann], 'helper@example.org', 'admin');
  const made = await t.call('POST', `/v1/projects/${t.projectId}/keys`, {
    headers: helper.headers,
    body: { kind: 'agent', name: 'made by a helper', agent_id: t.agentId },
  });
  expect(made.status).toBe(201);
  requesters = {
    'her service': (await t.addService('ann@example.org')).key,
    'an agent with a key made by a member whom her program added': String(made.body.key),
  };
});
afterAll(() => t.close());

type Inviter = Parameters<typeof createInvitation>[1];

/** Follows the link as a program that received it would, and signs in as a person with proof of presence. */
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

/** Whether the person in this session can approve requests of either of Ann's programs. */
async function decides(surface: Surface, headers: SignedIn['headers']): Promise<boolean[]> {
  const outcomes: boolean[] = [];
  for (const key of Object.values(requesters)) {
    const id = idOf(await surface.create(key, 'payments.refund', { amount: 5 }));
    const body = await asShown(t.gate, id);
    const answer = await t.call('POST', `/v1/intents/${id}/approve`, { headers, body });
    if (answer.status === 403) {
      expectRefused('B', answer, 403, 'FORBIDDEN', { required: 'separation_of_duties' });
      expect((await t.gate.storage.read.findIntent(id))?.status).toBe('pending');
      // A denial harms nobody, so the gate accepts it.
      const denied = await t.call('POST', `/v1/intents/${id}/deny`, { headers, body: {} });
      expect(denied.body).toMatchObject({ status: 'denied' });
    }
    outcomes.push(answer.status === 200);
    t.clock.advance(60);
  }
  return outcomes;
}

describe('in live mode', () => {
  it('a program cannot add or invite a member, or resend an invitation', async () => {
    const { invitation } = await createInvitation(t.gate, t.operator, {
      projectId: t.projectId,
      email: 'resent@example.org',
      role: 'approver',
    });
    const person = { projectId: t.projectId, email: 'puppet@example.org', role: 'approver' } as const;
    for (const program of [ann.caller, (await t.addService('ann@example.org', 'second')).caller]) {
      for (const attempt of [
        () => addMember(t.gate, program, person),
        () => createInvitation(t.gate, program, person),
        () => resendInvitation(t.gate, program, { projectId: t.projectId, invitationId: invitation.id }),
      ]) {
        expect(await t.expectUnchanged(() => refusalOf(attempt()))).toMatchObject({
          code: 'forbidden',
          details: { required: 'members:write' },
        });
      }
    }
  });
});

describe('in live mode, a member whom Ann’s program added', () => {
  it('may not approve requests of Ann’s programs', async () => {
    for (const [surface, role] of [
      [t.surfaces[0], 'admin'],
      [t.surfaces[1], 'approver'],
    ] as const) {
      const { headers } = await broughtIn(t, [ann], `puppet-${role}@example.org`, role);
      expect(await decides(surface, headers)).toEqual([false, false]);
    }
  });

  it('cannot invite anyone who may approve requests of Ann’s programs, even after being removed', async () => {
    const first = await broughtIn(t, [ann], 'first@example.org', 'admin');
    const made = await t.call('POST', `/console/projects/${t.projectId}/invitations`, {
      headers: first.headers,
      body: { email: 'second@example.org', role: 'approver' },
    });
    expect(made.status).toBe(201);
    const second = await comesIn('second@example.org', { link: String(made.body.link) });
    await removeMember(t.gate, t.operator, { projectId: t.projectId, userId: first.userId });
    expect(await decides(t.surfaces[0], second)).toEqual([false, false]);
  });

  it('cannot resend an invitation to anyone who may then approve requests of Ann’s programs', async () => {
    const { headers } = await broughtIn(t, [ann], 'sender@example.org', 'admin');
    const { invitation } = await createInvitation(t.gate, t.operator, {
      projectId: t.projectId,
      email: 'again@example.org',
      role: 'approver',
    });
    const path = `/console/projects/${t.projectId}/invitations/${invitation.id}/resend`;
    const again = await t.call('POST', path, { headers, body: {} });
    expect(again.status).toBe(200);
    const invited = await comesIn('again@example.org', { link: String(again.body.link) });
    expect(await decides(t.surfaces[0], invited)).toEqual([false, false]);
  });
});

describe('in live mode, a member may approve', () => {
  it('requests of Ann’s programs if Ann invited them in person, because she may approve too', async () => {
    expect(
      await decides(t.surfaces[0], await invitedBy(await ann.present(), 'colleague@example.org')),
    ).toEqual([true, true]);
  });

  it('requests of Ann’s programs if another person’s program added them', async () => {
    const carl = await t.addPerson('carl@example.org', 'admin');
    const { headers } = await broughtIn(t, [carl], 'other@example.org', 'admin');
    expect(await decides(t.surfaces[0], headers)).toEqual([true, true]);
  });

  it('requests of another person’s agent if Ann’s program added them', async () => {
    const { headers } = await broughtIn(t, [ann], 'third@example.org', 'admin');
    const other = await t.addAgent({ name: 'other-bot', ownerId: t.owner.userId });
    const id = idOf(await t.surfaces[0].create(other.key, 'payments.refund', { amount: 5 }));
    const body = await asShown(t.gate, id);
    const answer = await t.call('POST', `/v1/intents/${id}/approve`, { headers, body });
    expect(answer.status).toBe(200);
  });
});

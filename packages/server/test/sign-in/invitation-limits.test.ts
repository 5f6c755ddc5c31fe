/** A member who may invite people cannot use the gate to flood a stranger's mailbox. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { SessionCaller } from '../../src/gate/access/caller.ts';
import { createInvitation } from '../../src/people/invitations/create-invitation.ts';
import { resendInvitation, revokeInvitation } from '../../src/people/invitations/revoke-invitation.ts';
import { openTestGate, type TestGate } from '../fixtures/open-test-gate.ts';
import { refusalOf } from '../fixtures/refusal-of.ts';

const STRANGER = 'stranger@example.com';

let t: TestGate;
let gate: TestGate['gate'];
let admin: SessionCaller;
let sent: string[];
beforeEach(async () => {
  t = await openTestGate({ mode: 'live' });
  admin = await (await t.addPerson('admin@example.org', 'admin')).present();
  sent = [];
  const accountMail = {
    ...t.gate.accountMail,
    configured: true,
    invitation: ({ to }: { to: string }) => void sent.push(to),
  };
  gate = { ...t.gate, accountMail };
});
afterEach(() => t.close());

const invite = (email = STRANGER) =>
  createInvitation(gate, admin, { projectId: t.projectId, email, role: 'viewer' });

it('an invitation can be sent at most five times in a row', async () => {
  const { invitation } = await invite();
  const again = () => resendInvitation(gate, admin, { projectId: t.projectId, invitationId: invitation.id });
  for (let n = 1; n < 5; n += 1) await again();
  const before = await gate.storage.read.findInvitation(invitation.id);
  const refusal = await refusalOf(again());
  expect(refusal).toMatchObject({ code: 'rate_limited', details: { retry_after_seconds: 15 } });
  expect(refusal.message).toContain(STRANGER);
  expect(sent).toHaveLength(5);
  // The link that was sent last still works.
  expect(await gate.storage.read.findInvitation(invitation.id)).toEqual(before);
  t.clock.advance(15);
  await again();
  expect(sent).toHaveLength(6);
});

it('a revoked and recreated invitation counts as resent, and other people can still be invited', async () => {
  for (let n = 0; n < 5; n += 1) {
    const { invitation } = await invite();
    await revokeInvitation(gate, admin, { projectId: t.projectId, invitationId: invitation.id });
  }
  expect((await refusalOf(invite())).code).toBe('rate_limited');
  expect(sent).toHaveLength(5);
  await invite('colleague@example.org');
  expect(sent).toHaveLength(6);
});

import type { Caller } from '../../gate/access/caller.ts';
import { GateError } from '../../gate/kernel/errors.ts';
import { addSeconds } from '../../gate/kernel/instant.ts';
import { notFound } from '../../gate/kernel/not-found.ts';
import { changeProject } from '../../gate/projects/change-project.ts';
import { makeSecretToken } from '../links/secret-token.ts';
import { broughtInThrough } from '../members/brought-in.ts';
import { assertReaches, roleToGive } from '../members/membership-rules.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { type SentInvitation, sendInvitation } from './create-invitation.ts';
import type { Invitation, InvitationReader } from './invitation.ts';
import { INVITATION_LIFETIME_SECONDS } from './invitation-link.ts';

/**
 * Revokes an invitation, so its link no longer works. Idempotent.
 * @throws GateError `project_not_found`, `forbidden` also for a role above the caller's own, `not_found`, `conflict`
 * for an accepted invitation
 */
export function revokeInvitation(
  gate: PeopleDeps,
  caller: Caller,
  input: { projectId: string; invitationId: string },
): Promise<Invitation> {
  const { projectId, invitationId } = input;
  return changeProject(gate, caller, projectId, 'members:write', async (change) => {
    const { tx, now, record } = change;
    const invitation = await getInvitation(tx, projectId, invitationId);
    assertReaches(change.caller, projectId, invitation.role);
    assertNotAccepted(invitation);
    if (!(await tx.revokeInvitation(invitationId, now))) return invitation;
    const { email, role } = invitation;
    await record('invitation.revoked', { invitation_id: invitationId, email, role }, ['/data/email']);
    return { ...invitation, revokedAt: now };
  });
}

/**
 * Sends the invitation again with a new link, valid for a week. The earlier link no longer works. The first inviter
 * still answers for it.
 * @throws GateError as `revokeInvitation`, and `conflict` for a revoked invitation
 */
export function resendInvitation(
  gate: PeopleDeps<'accountMail' | 'issuer'>,
  caller: Caller,
  input: { projectId: string; invitationId: string },
): Promise<SentInvitation> {
  const { projectId, invitationId } = input;
  return changeProject(gate, caller, projectId, 'members:write', async (change) => {
    const { tx, now, record } = change;
    const invitation = await getInvitation(tx, projectId, invitationId);
    assertReaches(change.caller, projectId, roleToGive(change.project, invitation.role));
    assertNotAccepted(invitation);
    if (invitation.revokedAt !== null)
      throw new GateError('conflict', 'This invitation was revoked. Create a new one.', {});
    const { token, tokenHash } = makeSecretToken();
    // The caller may get the link and could follow it. So a program that resends an invitation also counts among those
    // behind the member.
    const through = broughtInThrough(change.caller, await tx.listMembers(projectId));
    const renewed: Invitation = {
      ...invitation,
      tokenHash,
      expiresAt: addSeconds(now, INVITATION_LIFETIME_SECONDS),
      broughtInBy: [...new Set([...invitation.broughtInBy, ...through])],
    };
    await tx.renewInvitation(renewed);
    const { email, role, expiresAt: expires_at } = renewed;
    await record('member.invited', { invitation_id: invitationId, email, role, expires_at }, ['/data/email']);
    return sendInvitation(gate, change, renewed, token);
  });
}

async function getInvitation(
  tx: InvitationReader,
  projectId: string,
  invitationId: string,
): Promise<Invitation> {
  const invitation = await tx.findInvitation(invitationId);
  if (invitation?.projectId !== projectId) throw notFound('invitation in this project');
  return invitation;
}

function assertNotAccepted({ acceptedAt }: Invitation): void {
  if (acceptedAt !== null)
    throw new GateError('conflict', 'This invitation was accepted; the member can be removed instead.', {});
}

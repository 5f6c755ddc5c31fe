import type { Role } from '@permitry/protocol';
import { type Caller, isPerson, toActor } from '../../gate/access/caller.ts';
import { GateError, type GateErrorDetails } from '../../gate/kernel/errors.ts';
import { addSeconds } from '../../gate/kernel/instant.ts';
import { invalidFields } from '../../gate/kernel/invalid-fields.ts';
import { sayDuration } from '../../gate/kernel/say-duration.ts';
import { changeProject, type ProjectChange } from '../../gate/projects/change-project.ts';
import { EMAIL_RULE, toEmailAddress } from '../../gate/projects/email-address.ts';
import { makeSecretToken } from '../links/secret-token.ts';
import { broughtInThrough } from '../members/brought-in.ts';
import { assertReaches, roleToGive } from '../members/membership-rules.ts';
import type { PeopleDeps } from '../people-deps.ts';
import type { SignInCountReader, SignInCountWriter } from '../sign-in-tries/sign-in-count.ts';
import { assertNotTooOften } from '../sign-in-tries/sign-in-limits.ts';
import type { Invitation } from './invitation.ts';
import { isOpen } from './invitation.ts';
import { INVITATION_LIFETIME_SECONDS, invitationLink } from './invitation-link.ts';

export interface SentInvitation {
  invitation: Invitation;
  /**
   * The link for the inviter to hand over, shown only once. Null if the gate emailed it to the invited person alone.
   */
  link: string | null;
}

/**
 * Invites a person to become a member. The gate emails the link if it can. Otherwise the inviter hands it over.
 * @throws GateError `project_not_found`, `forbidden` also for a role above the caller's own, `invalid_fields`,
 * `conflict` for a member or an invited person, `rate_limited` for too much email to one address
 * @example const { link } = await createInvitation(gate, caller, { projectId, email: 'bob@example.org', role:
 * 'approver' });
 */
export function createInvitation(
  gate: PeopleDeps<'accountMail' | 'issuer'>,
  caller: Caller,
  input: { projectId: string; email: string; role: Role },
): Promise<SentInvitation> {
  const { projectId, role } = input;
  return changeProject(gate, caller, projectId, 'members:write', async (change) => {
    const { tx, now, record } = change;
    const email = toEmailAddress(input.email);
    if (email === undefined) throw invalidFields({ path: '/email', message: EMAIL_RULE });
    assertReaches(change.caller, projectId, roleToGive(change.project, role));
    const members = await tx.listMembers(projectId);
    if (members.some((member) => member.email === email))
      throw new GateError('conflict', `${email} is already a member. Change their role instead.`, {});
    const others = await tx.listInvitationsTo(email);
    if (others.some((other) => other.projectId === projectId && isOpen(other, now)))
      throw new GateError('conflict', `${email} is already invited. Send that invitation again instead.`, {});

    const { token, tokenHash } = makeSecretToken();
    const invitation: Invitation = {
      id: gate.ids.next('inv'),
      projectId,
      email,
      role,
      tokenHash,
      ...inviterOf(change),
      broughtInBy: broughtInThrough(change.caller, members),
      createdAt: now,
      expiresAt: addSeconds(now, INVITATION_LIFETIME_SECONDS),
      acceptedAt: null,
      acceptedBy: null,
      revokedAt: null,
    };
    await tx.insertInvitation(invitation);
    const { id: invitation_id, expiresAt: expires_at } = invitation;
    await record('member.invited', { invitation_id, email, role, expires_at }, ['/data/email']);
    return sendInvitation(gate, change, invitation, token);
  });
}

/** Emails the link after the invitation is committed, or returns it for the inviter to hand over. */
export async function sendInvitation(
  gate: PeopleDeps<'accountMail' | 'issuer'>,
  {
    tx,
    project,
    caller,
  }: Pick<ProjectChange<SignInCountReader & SignInCountWriter>, 'tx' | 'project' | 'caller'>,
  invitation: Invitation,
  token: string,
): Promise<SentInvitation> {
  const link = invitationLink(gate, token);
  // The operator always gets the link.
  if (!gate.accountMail.configured || caller.kind === 'operator') return { invitation, link };
  await assertNotWrittenTooOften(gate, tx, invitation.email);
  tx.afterCommit(() =>
    gate.accountMail.invitation({
      to: invitation.email,
      projectName: project.name,
      mode: project.mode,
      role: invitation.role,
      invitedBy: invitation.invitedByDisplay,
      link,
      expiresAt: invitation.expiresAt,
    }),
  );
  return { invitation, link: null };
}

/** Counts invitations to an address across all inviters and projects, so that nobody can flood a stranger's mailbox. */
async function assertNotWrittenTooOften(
  gate: Pick<PeopleDeps, 'clock'>,
  tx: SignInCountReader & SignInCountWriter,
  email: string,
): Promise<void> {
  try {
    await assertNotTooOften(tx, `invitation ${email}`, gate.clock);
  } catch (error) {
    if (!(error instanceof GateError && error.code === 'rate_limited')) throw error;
    const { retry_after_seconds: seconds } = error.details as GateErrorDetails['rate_limited'];
    throw new GateError(
      'rate_limited',
      `${email} was sent several invitations just now; wait ${sayDuration(seconds)} before the next one.`,
      { retry_after_seconds: seconds },
    );
  }
}

/** The person who answers for the invitation, even when that person's program created it. */
function inviterOf({ caller }: ProjectChange): Pick<Invitation, 'invitedBy' | 'invitedByDisplay'> {
  const person = isPerson(caller) ? caller.user : caller.kind === 'secret' ? caller.owner : null;
  return { invitedBy: person?.id ?? null, invitedByDisplay: person?.email ?? toActor(caller).display };
}

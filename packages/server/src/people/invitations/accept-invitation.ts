import type { ProjectMode, Role } from '@permitry/protocol';
import type { SessionCaller } from '../../gate/access/caller.ts';
import { roleReaches } from '../../gate/access/scopes.ts';
import { signInFirst } from '../../gate/access/unauthorized.ts';
import type { AuditWriter } from '../../gate/audit/audit-event.ts';
import { recordEvent } from '../../gate/audit/record-event.ts';
import { GateError } from '../../gate/kernel/errors.ts';
import { invalidFields } from '../../gate/kernel/invalid-fields.ts';
import { checkName } from '../../gate/kernel/label.ts';
import type { AfterCommit } from '../../gate/kernel/storage.ts';
import { ensureUser } from '../../gate/projects/ensure-user.ts';
import type { Project, ProjectReader, ProjectWriter, User } from '../../gate/projects/project.ts';
import { deadLink } from '../links/dead-link.ts';
import { hashSecretToken } from '../links/secret-token.ts';
import { roleToGive } from '../members/membership-rules.ts';
import type { IdentityReader } from '../oidc/identity.ts';
import type { PasskeyReader } from '../passkeys/passkey.ts';
import { writePassword } from '../passwords/change-password.ts';
import { checkPassword } from '../passwords/check-password.ts';
import type { PasswordReader } from '../passwords/password.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { asActor } from '../record-account-event.ts';
import { type Browser, type StartedSession, startSession } from '../sessions/start-session.ts';
import { countWaysIn, waysInOf } from '../sign-in/ways-in.ts';
import type { InvitationReader, InvitationWriter } from './invitation.ts';
import { type Invitation, isOpen } from './invitation.ts';

/** What the invited person sees before they accept. */
export interface InvitationToMe {
  projectName: string;
  mode: ProjectMode;
  role: Role;
  email: string;
  /** Whether the gate already knows the person. If so, they sign in instead of choosing a password. */
  hasAccount: boolean;
  invitedBy: string;
}

/** @throws GateError `not_found` for an invalid link */
export async function previewInvitation(
  gate: Pick<PeopleDeps, 'clock' | 'storage'>,
  input: { token: string },
): Promise<InvitationToMe> {
  const { read } = gate.storage;
  const { invitation, project } = await getOpen(gate, read, hashSecretToken(input.token));
  return {
    projectName: project.name,
    mode: project.mode,
    role: invitation.role,
    email: invitation.email,
    hasAccount: await isKnown(read, invitation.email),
    invitedBy: invitation.invitedByDisplay,
  };
}

/**
 * Makes the person a member. A new person chooses a name and a password and is signed in. A person the gate knows must
 * already be signed in. If two people follow the same link, only one becomes a member.
 * @returns the new person's session; null for a person who is already signed in
 * @throws GateError `not_found`, `unauthorized` for a known person who is not signed in, `forbidden` for a person
 * signed in under another address, `invalid_fields`, `conflict` for a member, `service_unavailable`
 */
export async function acceptInvitation(
  gate: PeopleDeps<'accountMail' | 'passwords'>,
  caller: SessionCaller | null,
  input: { token: string; name?: string | undefined; password?: string | undefined },
  browser: Browser,
): Promise<StartedSession | null> {
  const { read } = gate.storage;
  const tokenHash = hashSecretToken(input.token);
  const { invitation } = await getOpen(gate, read, tokenHash);
  if (await isKnown(read, invitation.email)) {
    await joinAs(gate, caller, tokenHash, invitation.email);
    return null;
  }
  const { name, password } = checkAccount(input, invitation.email);
  const hash = await gate.passwords.hash(password);
  return gate.storage.transaction(async (tx) => {
    // Anyone with the link can choose this password, so it must never be set for a person the gate already knew.
    if (await isKnown(tx, invitation.email)) throw deadLink();
    const user = await join(gate, tx, tokenHash);
    await tx.renameUser(user.id, name);
    await writePassword(gate, tx, user, { hash, how: 'invitation', keepsSessionId: null });
    return startSession(gate, tx, { userId: user.id, methods: ['link'] }, browser);
  });
}

async function joinAs(
  gate: PeopleDeps,
  caller: SessionCaller | null,
  tokenHash: string,
  email: string,
): Promise<void> {
  if (!caller) throw signInFirst();
  if (caller.user.email !== email)
    throw new GateError('forbidden', `This invitation is for ${email}; sign in as them.`, {
      required: email,
    });
  await gate.storage.transaction((tx) => join(gate, tx, tokenHash));
}

function checkAccount(
  { name, password }: { name?: string | undefined; password?: string | undefined },
  email: string,
): { name: string; password: string } {
  if (name === undefined || password === undefined)
    throw invalidFields(
      name === undefined && { path: '/name', message: 'Enter your name.' },
      password === undefined && { path: '/password', message: 'Choose a password.' },
    );
  return { name: checkName(name), password: checkPassword(password, email) };
}

/**
 * Known: the person can sign in, or is a member of any project. The second case covers a person whom another project
 * made a member and who has not signed in yet. Otherwise anyone with a link could choose that person's password.
 */
async function isKnown(
  reader: IdentityReader & PasskeyReader & PasswordReader & ProjectReader,
  email: string,
): Promise<boolean> {
  const user = await reader.findUserByEmail(email);
  if (!user) return false;
  if ((await reader.listMemberships(user.id)).length > 0) return true;
  return countWaysIn(await waysInOf(reader, user.id)) > 0;
}

async function join(
  gate: PeopleDeps,
  tx: AfterCommit & AuditWriter & InvitationReader & InvitationWriter & ProjectReader & ProjectWriter,
  tokenHash: string,
): Promise<User> {
  const { invitation, project } = await getOpen(gate, tx, tokenHash);
  const { id, email, role, broughtInBy } = invitation;
  const now = gate.clock.now();
  const user = await ensureUser(gate, tx, email, now);
  if ((await tx.listMembers(project.id)).some((member) => member.userId === user.id))
    throw new GateError('conflict', 'You are already a member of this project.', {});
  if (!(await tx.acceptInvitation(id, user.id, now))) throw deadLink();
  await tx.saveMember({ projectId: project.id, userId: user.id, email, role, createdAt: now, broughtInBy });
  await tx.bumpProjectRevision(project.id);
  await recordEvent(gate, tx, {
    projectId: project.id,
    type: 'member.added',
    occurredAt: now,
    actor: asActor(user),
    data: {
      user_id: user.id,
      email,
      role,
      invitation_id: id,
      invited_by_id: invitation.invitedBy,
      invited_by: invitation.invitedByDisplay,
    },
    personal: ['/data/email', '/data/invited_by'],
  });
  return user;
}

/** Returns the invitation if it is open and its inviter could still create it: nobody invites above their own role. */
async function getOpen(
  gate: Pick<PeopleDeps, 'clock'>,
  reader: InvitationReader & ProjectReader,
  tokenHash: string,
): Promise<{ invitation: Invitation; project: Project }> {
  const invitation = await reader.findInvitationByToken(tokenHash);
  if (!invitation || !isOpen(invitation, gate.clock.now())) throw deadLink();
  const project = await reader.findProject(invitation.projectId);
  if (!project || !(await mayStillInvite(reader, project, invitation))) throw deadLink();
  return { invitation, project };
}

async function mayStillInvite(
  reader: ProjectReader,
  project: Project,
  { invitedBy, role }: Invitation,
): Promise<boolean> {
  if (invitedBy === null) return true;
  const inviter = (await reader.listMembers(project.id)).find(({ userId }) => userId === invitedBy);
  if (!inviter || !roleReaches(inviter.role, 'admin')) return false;
  return roleReaches(inviter.role, roleToGive(project, role));
}

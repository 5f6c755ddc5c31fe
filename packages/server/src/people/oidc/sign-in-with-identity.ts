import type { AuditWriter } from '../../gate/audit/audit-event.ts';
import type { AfterCommit } from '../../gate/kernel/storage.ts';
import type { NotificationReader } from '../../gate/notifications/notification.ts';
import type { OutboxWriter } from '../../gate/outbox/delivery.ts';
import { toEmailAddress } from '../../gate/projects/email-address.ts';
import { ensureUser } from '../../gate/projects/ensure-user.ts';
import type { ProjectReader, ProjectWriter, User } from '../../gate/projects/project.ts';
import type { InvitationReader } from '../invitations/invitation.ts';
import { isOpen } from '../invitations/invitation.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { asActor, recordAccountEvent } from '../record-account-event.ts';
import { type Browser, type StartedSession, startSession } from '../sessions/start-session.ts';
import { insertTicket, type SecondFactorAsked } from '../sign-in/sign-in-ticket.ts';
import { welcome } from '../sign-in-tries/sign-in-tries.ts';
import type { IdentityReader, IdentityWriter } from './identity.ts';
import type { OidcPerson } from './oidc-providers.ts';

/** Why the gate refuses a person whom the provider knows. The dashboard has a text for each. */
export type OidcProblem = 'email_not_verified' | 'unknown_person';

export type IdentitySignIn =
  | { kind: 'signed_in'; started: StartedSession }
  | ({ kind: 'second_factor' } & SecondFactorAsked)
  | { kind: 'refused'; problem: OidcProblem };

/**
 * Signs in the person whom the provider vouches for. At the first sign-in, the verified address identifies the person,
 * who must be a member or invited: a provider never makes anyone a member. Afterwards issuer and subject identify the
 * person, whatever the address is.
 * A person with an authenticator app here must use it, as after a password. The exception: the provider says that it
 * asked for a second factor itself.
 */
export function signInWithIdentity(
  gate: PeopleDeps,
  person: OidcPerson,
  browser: Browser,
): Promise<IdentitySignIn> {
  return gate.storage.transaction(async (tx) => {
    const user = (await findLinked(gate, tx, person)) ?? (await link(gate, tx, person));
    if (typeof user === 'string') return { kind: 'refused', problem: user };
    // Reads the app in the transaction that starts the session, so an app that was set up in the meantime counts.
    if (!person.hasSecondFactor && (await tx.findTotp(user.id))?.confirmedAt != null)
      return { kind: 'second_factor', ...(await insertTicket(gate, tx, { userId: user.id, first: 'oidc' })) };
    const started = await startSession(gate, tx, { userId: user.id, methods: ['oidc'] }, browser);
    await welcome(tx, { account: user.email, address: browser.address }, gate.clock.now());
    return { kind: 'signed_in', started };
  });
}

async function findLinked(
  gate: Pick<PeopleDeps, 'clock'>,
  tx: IdentityReader & IdentityWriter & ProjectReader,
  person: OidcPerson,
): Promise<User | undefined> {
  const identity = await tx.findIdentity(person.issuer, person.subject);
  if (!identity) return undefined;
  await tx.touchIdentity(identity.id, person.email ?? identity.display, gate.clock.now());
  return tx.findUser(identity.userId);
}

async function link(
  gate: PeopleDeps,
  tx: AfterCommit &
    AuditWriter &
    IdentityWriter &
    InvitationReader &
    NotificationReader &
    OutboxWriter &
    ProjectReader &
    ProjectWriter,
  person: OidcPerson,
): Promise<User | OidcProblem> {
  if (!person.emailVerified) return 'email_not_verified';
  const email = toEmailAddress(person.email ?? '');
  const user = email === undefined ? undefined : await findWelcome(gate, tx, email);
  if (!user) return 'unknown_person';
  const now = gate.clock.now();
  const id = gate.ids.next('idn');
  const { provider, issuer, subject } = person;
  await tx.insertIdentity({
    id,
    userId: user.id,
    provider,
    issuer,
    subject,
    display: user.email,
    createdAt: now,
    lastUsedAt: now,
  });
  await recordAccountEvent(gate, tx, {
    type: 'identity.linked',
    userId: user.id,
    actor: asActor(user),
    data: { identity_id: id, provider },
  });
  return user;
}

/** A member of a project, or a person with an invitation that they have not accepted yet. */
async function findWelcome(
  gate: Pick<PeopleDeps, 'clock' | 'ids'>,
  tx: InvitationReader & ProjectReader & ProjectWriter,
  email: string,
): Promise<User | undefined> {
  const now = gate.clock.now();
  const user = await tx.findUserByEmail(email);
  if (user && (await tx.listMemberships(user.id)).length > 0) return user;
  const invited = (await tx.listInvitationsTo(email)).some((invitation) => isOpen(invitation, now));
  return invited ? (user ?? ensureUser(gate, tx, email, now)) : undefined;
}

import type { AuditWriter } from '../../gate/audit/audit-event.ts';
import { GateError } from '../../gate/kernel/errors.ts';
import { invalidFields } from '../../gate/kernel/invalid-fields.ts';
import { checkName } from '../../gate/kernel/label.ts';
import type { AfterCommit } from '../../gate/kernel/storage.ts';
import { beginChange } from '../../gate/projects/change-project.ts';
import { EMAIL_RULE, toEmailAddress } from '../../gate/projects/email-address.ts';
import type { ProjectReader, ProjectWriter, User } from '../../gate/projects/project.ts';
import { deadLink } from '../links/dead-link.ts';
import type { OneTimeLinkReader } from '../links/one-time-link.ts';
import { hashSecretToken } from '../links/secret-token.ts';
import type { IdentityReader, IdentityWriter } from '../oidc/identity.ts';
import { writePassword } from '../passwords/change-password.ts';
import { checkPassword } from '../passwords/check-password.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { type Browser, type StartedSession, startSession } from '../sessions/start-session.ts';
import { isSetUpNeeded } from './make-set-up-link.ts';

/**
 * The person the link is for.
 * @throws GateError `not_found` for an invalid link
 */
export async function previewSetUp(
  gate: Pick<PeopleDeps, 'clock' | 'storage'>,
  input: { token: string },
): Promise<{ email: string }> {
  const { email } = await getClaimed(gate, gate.storage.read, hashSecretToken(input.token));
  return { email };
}

/**
 * Sets the address, name and password of the first project's owner, and signs the owner in. If two people follow the
 * same link, only the first succeeds.
 * @throws GateError `not_found`, `invalid_fields`, `conflict` for another person's address, `service_unavailable`
 */
export async function finishSetUp(
  gate: PeopleDeps<'accountMail' | 'passwords'>,
  input: { token: string; email: string; name: string; password: string },
  browser: Browser,
): Promise<StartedSession> {
  const tokenHash = hashSecretToken(input.token);
  await getClaimed(gate, gate.storage.read, tokenHash);
  const email = toEmailAddress(input.email);
  if (email === undefined) throw invalidFields({ path: '/email', message: EMAIL_RULE });
  const name = checkName(input.name);
  const hash = await gate.passwords.hash(checkPassword(input.password, email));
  return gate.storage.transaction(async (tx) => {
    const owner = await getClaimed(gate, tx, tokenHash);
    if (!(await tx.takeLink(tokenHash, 'set_up', gate.clock.now()))) throw deadLink();
    if (email !== owner.email) await changeAddress(gate, tx, owner, email);
    await tx.renameUser(owner.id, name);
    const user = { ...owner, email };
    await writePassword(gate, tx, user, { hash, how: 'set_up_link', keepsSessionId: null });
    return startSession(gate, tx, { userId: owner.id, methods: ['link'] }, browser);
  });
}

async function getClaimed(
  gate: Pick<PeopleDeps, 'clock'>,
  reader: IdentityReader & OneTimeLinkReader & ProjectReader,
  tokenHash: string,
): Promise<User> {
  const link = await reader.findLink(tokenHash);
  if (link?.kind !== 'set_up' || link.expiresAt <= gate.clock.now()) throw deadLink();
  const user = await reader.findUser(link.userId);
  if (!user || !(await isSetUpNeeded(reader))) throw deadLink();
  return user;
}

async function changeAddress(
  gate: PeopleDeps,
  tx: AfterCommit & AuditWriter & IdentityWriter & ProjectReader & ProjectWriter,
  owner: User,
  email: string,
): Promise<void> {
  if (!(await tx.changeAddress(owner.id, email)))
    throw new GateError(
      'conflict',
      `${email} already belongs to another person here. Use another address.`,
      {},
    );
  const now = gate.clock.now();
  const caller = { kind: 'operator', credentialId: 'operator', display: 'operator' } as const;
  for (const { projectId, role } of await tx.listMemberships(owner.id)) {
    const project = await tx.findProject(projectId);
    if (!project) continue;
    // The event names the operator as the actor: a person with the link got it from the gate's machine.
    await beginChange(gate, tx, caller, project, now).record(
      'member.updated',
      { user_id: owner.id, email, previous_email: owner.email, role },
      ['/data/email', '/data/previous_email'],
    );
  }
}

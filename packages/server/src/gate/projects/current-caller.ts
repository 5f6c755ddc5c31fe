import type { Caller } from '../access/caller.ts';
import type { CredentialReader } from '../access/credential.ts';
import { hasEnded } from '../access/credential.ts';
import type { SessionReader } from '../access/session.ts';
import { isLive } from '../access/session.ts';
import type { Instant } from '../kernel/instant.ts';
import type { Project, ProjectReader } from './project.ts';

/**
 * The caller with its current rights in the project. Undefined when it has no rights left.
 *
 * The transaction of a change checks rights again. So a demotion, a removal or a revoked key that was committed during
 * the request already takes effect.
 */
export async function currentCaller(
  reader: CredentialReader & ProjectReader & SessionReader,
  caller: Caller,
  project: Pick<Project, 'id' | 'mode'>,
  now: Instant,
): Promise<Caller | undefined> {
  if (caller.kind === 'operator') return caller;
  if (!(await isStillGood(reader, caller, now))) return undefined;
  if (caller.kind === 'agent' || caller.kind === 'verify') return caller;
  const personId = caller.kind === 'secret' ? caller.owner.id : caller.user.id;
  const memberships = await reader.listMemberships(personId);
  const role = memberships.find((membership) => membership.projectId === project.id)?.role;
  if (!role) return undefined;
  return caller.kind === 'secret'
    ? { ...caller, owner: { ...caller.owner, role } }
    : { ...caller, memberships: [{ projectId: project.id, mode: project.mode, role }] };
}

/** Whether the caller's credential is still valid: not revoked, not ended, not expired. */
export async function isStillGood(
  reader: CredentialReader & SessionReader,
  { kind, credentialId }: Pick<Caller, 'kind' | 'credentialId'>,
  now: Instant,
): Promise<boolean> {
  if (kind === 'session') {
    const session = await reader.findSession(credentialId);
    return session !== undefined && isLive(session, now);
  }
  const key = await reader.findKey(credentialId);
  return key !== undefined && key.revokedAt === null && !hasEnded(key, now);
}

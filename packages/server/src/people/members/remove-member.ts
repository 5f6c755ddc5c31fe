import type { Caller } from '../../gate/access/caller.ts';
import type { ApiKey, CredentialReader, CredentialWriter } from '../../gate/access/credential.ts';
import type { AgentReader, AgentWriter } from '../../gate/agents/agent.ts';
import { leaveAgents } from '../../gate/agents/agent-owner.ts';
import type { Member } from '../../gate/approvals/people.ts';
import { changeProject, type ProjectChange } from '../../gate/projects/change-project.ts';
import { endKey } from '../keys/revoke-key.ts';
import type { PeopleDeps } from '../people-deps.ts';
import { assertOwnerRemains, assertReaches, findMember } from './membership-rules.ts';

const KEYS_AT_ONCE = 200;

/**
 * Removes a person from the project and its groups. Revokes the secret keys that the person answers for: a key that
 * only lost its owner would work again if the person came back. Gives the keys of the person's agents an expiry.
 * @throws GateError `project_not_found`, `forbidden` also for a member above the caller's own role, `not_found`,
 * `conflict` for the last owner
 */
export function removeMember(
  gate: PeopleDeps,
  caller: Caller,
  input: { projectId: string; userId: string },
): Promise<Member> {
  const { projectId, userId } = input;
  return changeProject(gate, caller, projectId, 'members:write', async (change) => {
    const members = await change.tx.listMembers(projectId);
    const member = findMember(members, userId);
    assertReaches(change.caller, projectId, member.role);
    await endMembership(change, members, member, 'member removed');
    return member;
  });
}

/** Ends a membership, both for people who leave and for people who are removed. */
export async function endMembership(
  change: ProjectChange<AgentReader & AgentWriter & CredentialReader & CredentialWriter>,
  members: readonly Member[],
  { projectId, userId, email, role }: Member,
  reason: string,
): Promise<void> {
  assertOwnerRemains(members, userId, null);
  await change.tx.removeMember(projectId, userId);
  await change.record('member.removed', { user_id: userId, email, role }, ['/data/email']);
  await leaveAgents(change, userId);
  for (const key of await secretKeysOf(change.tx, projectId, userId)) await endKey(change, key, { reason });
}

async function secretKeysOf(tx: CredentialReader, projectId: string, userId: string): Promise<ApiKey[]> {
  const found: ApiKey[] = [];
  for (let beforeId: string | undefined; ; ) {
    const keys = await tx.listKeys(projectId, {
      ...(beforeId === undefined ? {} : { beforeId }),
      limit: KEYS_AT_ONCE,
    });
    found.push(...keys.filter((key) => key.kind === 'secret' && key.ownerId === userId));
    if (keys.length < KEYS_AT_ONCE) return found;
    beforeId = keys.at(-1)?.id;
  }
}

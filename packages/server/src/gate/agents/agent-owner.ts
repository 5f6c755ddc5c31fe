/**
 * An agent has one owner: the person who registered it, the person whom the operator named, or the present admin who
 * took it over.
 */

import type { Caller } from '../access/caller.ts';
import type { Member } from '../approvals/people.ts';
import { addBehind, personThrough } from '../approvals/people-behind-agent.ts';
import { addSeconds } from '../kernel/instant.ts';
import { invalidFields } from '../kernel/invalid-fields.ts';
import type { ProjectChange } from '../projects/change-project.ts';
import type { ProjectReader } from '../projects/project.ts';
import type { Agent, AgentReader, AgentWriter } from './agent.ts';
import { ORPHAN_SECONDS } from './orphan.ts';

/**
 * Throws `invalid_fields` unless this caller may make this person the owner. A person can name only themselves, so no
 * person can give an agent to another. The operator can name any member.
 */
export async function assertMayName(
  tx: ProjectReader,
  caller: Caller,
  projectId: string,
  ownerId: string,
): Promise<void> {
  if (caller.kind !== 'operator') {
    if (personThrough(caller) === ownerId) return;
    throw invalidFields({
      path: '/owner_id',
      message: 'Must be your own ID: you can take over an agent, but not give it to someone else.',
    });
  }
  const members = await tx.listMembers(projectId);
  if (members.some(({ userId }) => userId === ownerId)) return;
  throw invalidFields({ path: '/owner_id', message: 'Must be the ID of a member of this project.' });
}

/**
 * When a person's membership ends, gives the keys of each of their agents an expiry 7 days later. Another owner of the
 * agent removes the expiry.
 */
export async function leaveAgents(
  { tx, now, project, record }: ProjectChange<AgentReader & AgentWriter>,
  userId: string,
): Promise<void> {
  for (const agent of await tx.listAgentsOwnedBy(project.id, userId)) {
    if (agent.status === 'revoked' || agent.ownerLeftAt !== null) continue;
    await tx.setAgentOwner({ ...agent, ownerLeftAt: now });
    await record('agent.owner_left', {
      agent_id: agent.id,
      name: agent.name,
      owner_id: userId,
      keys_end_at: addSeconds(now, ORPHAN_SECONDS),
    });
  }
}

/** The agent with another owner. Removes the expiry that its keys got when the previous owner left. */
export function ownedBy(agent: Agent, ownerId: string, members: readonly Member[]): Agent {
  return { ...agent, ownerId, behind: addBehind(agent.behind, ownerId, members), ownerLeftAt: null };
}

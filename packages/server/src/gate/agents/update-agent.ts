import type { Caller } from '../access/caller.ts';
import type { PolicyProposal } from '../four-eyes/policy-proposal.ts';
import { GateError } from '../kernel/errors.ts';
import { changeProject } from '../projects/change-project.ts';
import type { Agent } from './agent.ts';
import type { AgentDeps } from './agent-deps.ts';
import { assertMayName, ownedBy } from './agent-owner.ts';
import { type AgentChanges, changedProperties, changeProfile } from './agent-profile.ts';
import { proposeAgentChange } from './propose-agent-change.ts';
import { findOwnAgent } from './read-agents.ts';
import { assertNameFree } from './register-agent.ts';
import { takesSecondPerson } from './takes-second-person.ts';
import { writeAgent } from './write-agent.ts';

export interface AgentUpdate extends AgentChanges {
  projectId: string;
  agentId: string;
  /** Takes over the agent: your own id, or, for the operator, that of any member. */
  ownerId?: string;
}

export interface UpdatedAgent {
  /** The current agent. */
  agent: Agent;
  /** The proposal that another person must approve before anything changes. Null: the change was made directly. */
  proposal: PolicyProposal | null;
}

/**
 * Changes an agent. Omitted members stay, and equal values change nothing. Policy rules depend on these members, so a
 * project with the two-person rule gets a proposal instead of the change.
 *
 * @throws GateError `project_not_found`, `forbidden`, `not_found`, `invalid_fields`, `conflict` for a name in use and
 * for an agent that is revoked
 */
export function updateAgent(gate: AgentDeps, caller: Caller, input: AgentUpdate): Promise<UpdatedAgent> {
  return changeProject(gate, caller, input.projectId, 'agents:write', async (change) => {
    const { tx } = change;
    const agent = await findOwnAgent(tx, input);
    if (agent.status === 'revoked')
      throw new GateError('conflict', 'This agent is revoked, which is final.', {});
    if (input.ownerId !== undefined) await assertMayName(tx, change.caller, agent.projectId, input.ownerId);
    const profiled: Agent = { ...agent, ...changeProfile(agent, input) };
    const updated =
      input.ownerId === undefined
        ? profiled
        : ownedBy(profiled, input.ownerId, await tx.listMembers(agent.projectId));
    const changed = changedProperties(agent, updated);
    if (changed.length === 0) return { agent, proposal: null };
    await assertNameFree(tx, updated);
    if (takesSecondPerson(change, changed))
      return { agent, proposal: await proposeAgentChange(gate, change, agent, updated, changed) };
    return { agent: await writeAgent(change, agent, updated, {}), proposal: null };
  });
}

import type { Caller } from '../access/caller.ts';
import { GateError } from '../errors.ts';
import type { Gate } from '../gate.ts';
import { changeProject } from '../projects/change-project.ts';
import type { Agent } from './agent.ts';
import { type AgentChanges, type AgentProfile, changeProfile } from './agent-profile.ts';
import { findOwnAgent } from './read-agents.ts';
import { assertNameFree } from './register-agent.ts';

/**
 * Changes what is said of an agent; what is left out stays. Saying what stands already changes nothing.
 *
 * @throws GateError `project_not_found`, `forbidden`, `not_found`, `invalid_fields`, `conflict` for a name in use and
 * for an agent that is revoked
 */
export function updateAgent(
  gate: Gate,
  caller: Caller,
  input: AgentChanges & { projectId: string; agentId: string },
): Promise<Agent> {
  return changeProject(gate, caller, input.projectId, 'agents:write', async ({ tx, record }) => {
    const agent = await findOwnAgent(tx, input);
    if (agent.status === 'revoked')
      throw new GateError('conflict', 'This agent is revoked, which is final.', {});
    const profile = changeProfile(agent, input);
    const changed = changedMembers(agent, profile);
    if (changed.length === 0) return agent;

    const updated: Agent = { ...agent, ...profile };
    await assertNameFree(tx, updated);
    await tx.updateAgent({ id: agent.id, ...profile });
    await record('agent.updated', {
      agent_id: agent.id,
      name: updated.name,
      changed,
      before: toEventData(agent),
      after: toEventData(updated),
    });
    return updated;
  });
}

function toEventData(profile: AgentProfile) {
  return {
    name: profile.name,
    fingerprint: profile.fingerprint,
    framework: profile.framework,
    labels: profile.labels,
    risk_tier: profile.riskTier,
  };
}

/** In the words of the wire. */
function changedMembers(before: AgentProfile, after: AgentProfile): string[] {
  const changed = [];
  if (before.name !== after.name) changed.push('name');
  if (before.fingerprint !== after.fingerprint) changed.push('fingerprint');
  if (before.framework !== after.framework) changed.push('framework');
  if (!sameLabels(before.labels, after.labels)) changed.push('labels');
  if (before.riskTier !== after.riskTier) changed.push('risk_tier');
  return changed;
}

function sameLabels(a: Agent['labels'], b: Agent['labels']): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}

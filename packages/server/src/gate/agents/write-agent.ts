import type { JsonObject } from '@permitry/protocol';
import type { ProjectChange } from '../projects/change-project.ts';
import type { Agent, AgentWriter } from './agent.ts';
import type { AgentProfile } from './agent-profile.ts';

/** Writes the changed agent with its event; `tells` joins what the event says. */
export async function writeAgent(
  { tx, record }: ProjectChange<AgentWriter>,
  before: Agent,
  after: Agent,
  tells: JsonObject,
): Promise<Agent> {
  const { id, name, fingerprint, framework, labels, riskTier } = after;
  await tx.updateAgent({ id, name, fingerprint, framework, labels, riskTier });
  if (after.ownerId !== before.ownerId || after.ownerLeftAt !== before.ownerLeftAt)
    await tx.setAgentOwner(after);
  await record('agent.updated', {
    agent_id: id,
    name,
    changed: changedProperties(before, after),
    before: toWireProfile(before),
    after: toWireProfile(after),
    ...tells,
  });
  return after;
}

/** What can be changed of an agent, in the words of the wire. */
export function toWireProfile(agent: AgentProfile & Pick<Agent, 'ownerId'>) {
  return {
    name: agent.name,
    fingerprint: agent.fingerprint,
    framework: agent.framework,
    labels: agent.labels,
    risk_tier: agent.riskTier,
    owner_id: agent.ownerId,
  };
}

export type AgentProperty = keyof ReturnType<typeof toWireProfile>;

/** In the words of the wire. */
export function changedProperties(before: Agent, after: Agent): AgentProperty[] {
  const changed: AgentProperty[] = [];
  if (before.name !== after.name) changed.push('name');
  if (before.fingerprint !== after.fingerprint) changed.push('fingerprint');
  if (before.framework !== after.framework) changed.push('framework');
  if (!sameLabels(before.labels, after.labels)) changed.push('labels');
  if (before.riskTier !== after.riskTier) changed.push('risk_tier');
  // The same person takes it over once more after leaving and coming back.
  if (before.ownerId !== after.ownerId || before.ownerLeftAt !== after.ownerLeftAt) changed.push('owner_id');
  return changed;
}

function sameLabels(a: Agent['labels'], b: Agent['labels']): boolean {
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => a[key] === b[key]);
}

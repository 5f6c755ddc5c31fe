import type { JsonObject } from '@permitry/protocol';
import type { ProjectChange } from '../projects/change-project.ts';
import type { Agent, AgentWriter } from './agent.ts';
import { changedProperties, toWireProfile } from './agent-profile.ts';

/** Writes the changed agent with its event. `tells` is added to the event's data. */
export async function writeAgent(
  { tx, record }: ProjectChange<AgentWriter>,
  before: Agent,
  after: Agent,
  tells: JsonObject,
): Promise<Agent> {
  await tx.updateAgent(after);
  if (after.ownerId !== before.ownerId || after.ownerLeftAt !== before.ownerLeftAt)
    await tx.setAgentOwner(after);
  await record('agent.updated', {
    agent_id: after.id,
    name: after.name,
    changed: changedProperties(before, after),
    before: toWireProfile(before),
    after: toWireProfile(after),
    ...tells,
  });
  return after;
}

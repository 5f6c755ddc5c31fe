/**
 * A change of an agent that another person must approve. It is one of the policy's proposals, because rules depend on
 * properties of agents (contract §3 and §6).
 */

import { canonicalJson, hashCanonical, type JsonObject } from '@permitry/protocol';
import type { Member } from '../approvals/people.ts';
import { insertProposal } from '../four-eyes/insert-proposal.ts';
import type { PolicyProposal, ProposalReader, ProposalWriter } from '../four-eyes/policy-proposal.ts';
import { GateError } from '../kernel/errors.ts';
import type { ProjectChange } from '../projects/change-project.ts';
import type { Agent, AgentReader, AgentWriter } from './agent.ts';
import type { AgentDeps } from './agent-deps.ts';
import { ownedBy } from './agent-owner.ts';
import { type AgentProperty, fromWireProfile, toWireProfile, type WireProfile } from './agent-profile.ts';
import { assertNameFree } from './register-agent.ts';
import { writeAgent } from './write-agent.ts';

/** The stored form of the proposal: only the members that change. */
export interface AgentChange {
  agent_id: string;
  /** The agent's name when this was proposed. */
  name: string;
  before: Partial<WireProfile>;
  after: Partial<WireProfile>;
}

export function proposeAgentChange(
  gate: Pick<AgentDeps, 'ids'>,
  change: ProjectChange<ProposalReader & ProposalWriter>,
  before: Agent,
  after: Agent,
  changed: readonly AgentProperty[],
): Promise<PolicyProposal> {
  const document = {
    agent_id: before.id,
    name: before.name,
    before: pick(toWireProfile(before), changed),
    after: pick(toWireProfile(after), changed),
  } satisfies AgentChange as JsonObject;
  return insertProposal(gate, change, {
    change: 'agent',
    hash: hashCanonical(canonicalJson(document)),
    document,
    comment: null,
  });
}

/** The change in a proposal. Undefined once its texts were erased. Only this module writes such documents. */
export function toAgentChange({ document }: Pick<PolicyProposal, 'document'>): AgentChange | undefined {
  return (document ?? undefined) as AgentChange | undefined;
}

/**
 * Applies the proposed change in the transaction of its approval.
 *
 * @throws GateError `conflict` when the agent is revoked, these members changed since the proposal, or the new name is
 * in use
 */
export async function applyAgentProposal(
  change: ProjectChange<AgentReader & AgentWriter>,
  proposal: PolicyProposal,
): Promise<void> {
  const { tx, project } = change;
  const proposed = toAgentChange(proposal);
  const agent = proposed && (await tx.findAgent(project.id, proposed.agent_id));
  if (!proposed) throw stale('Its texts were erased');
  if (!agent || agent.status === 'revoked') throw stale('The agent is revoked');
  const properties = Object.keys(proposed.before) as AgentProperty[];
  if (canonicalJson(pick(toWireProfile(agent), properties)) !== canonicalJson(proposed.before as JsonObject))
    throw stale('The agent has changed since');
  const after = withProperties(agent, proposed.after, await tx.listMembers(project.id));
  await assertNameFree(tx, after);
  await writeAgent(change, agent, after, {
    proposal_id: proposal.id,
    proposed_by: proposal.proposedBy.id,
  });
}

function stale(why: string): GateError<'conflict'> {
  return new GateError('conflict', `${why}, so this change can no longer be approved. Propose it again.`, {});
}

function pick(profile: WireProfile, properties: readonly AgentProperty[]): Partial<WireProfile> {
  return Object.fromEntries(properties.map((property) => [property, profile[property]]));
}

function withProperties(agent: Agent, after: Partial<WireProfile>, people: readonly Member[]): Agent {
  const { owner_id: ownerId, ...profile } = after;
  const profiled: Agent = { ...agent, ...fromWireProfile(profile) };
  return ownerId == null ? profiled : ownedBy(profiled, ownerId, people);
}

import type { Caller } from '../../access/caller.ts';
import type { AgentReader, AgentWriter } from '../../agents/agent.ts';
import { applyAgentProposal } from '../../agents/propose-agent-change.ts';
import type {
  PolicyProposal,
  ProposalParty,
  ProposalReader,
  ProposalWriter,
  ProposedChange,
} from '../../four-eyes/policy-proposal.ts';
import { isStale, proposerStands } from '../../four-eyes/second-person.ts';
import { GateError } from '../../kernel/errors.ts';
import { unknownProject } from '../../kernel/not-found.ts';
import { type CompiledPolicy, parsePolicy } from '../../policy/policy.ts';
import type { ProjectChange } from '../../projects/change-project.ts';
import { applyPolicy } from '../apply-policy.ts';
import { assertApproversKnown } from '../assert-approvers-known.ts';
import type { PolicyDeps } from '../policy-deps.ts';
import {
  assertSecondPerson,
  changeProposal,
  type ProposalInput,
  resolveProposal,
} from './resolve-proposal.ts';

/**
 * Puts somebody else's proposal in force, from the next request on: the new version, the end of the proposal and their
 * event together or not at all. Of two approvals at once one wins.
 *
 * @throws GateError `project_not_found`, `forbidden` also to whoever proposed it, `not_found`, `conflict` when it is not
 *   pending any more, another policy came in force since, the agent was changed since, or its proposer may no longer change the policy,
 *   `approver_not_found` when somebody it names is not there any more
 */
export function approveProposal(
  gate: PolicyDeps,
  caller: Caller,
  input: ProposalInput,
): Promise<PolicyProposal> {
  return changeProposal(gate, caller, input, async (change, proposal, by) => {
    await assertSecondPerson(change, proposal, by);
    await assertProposerStands(change, proposal);
    return APPROVALS[proposal.change](change, proposal, by);
  });
}

type Approve = (
  change: ProjectChange<AgentReader & AgentWriter & ProposalReader & ProposalWriter>,
  proposal: PolicyProposal,
  by: ProposalParty,
) => Promise<PolicyProposal>;

const APPROVALS: Record<ProposedChange, Approve> = {
  policy: approvePolicy,
  second_person_off: approveOnePerson,
  agent: approveAgentChange,
};

async function approvePolicy(
  change: ProjectChange<ProposalWriter>,
  proposal: PolicyProposal,
  by: ProposalParty,
): Promise<PolicyProposal> {
  const { tx, project, now } = change;
  const inForce = await tx.findPolicy(project.id);
  if (!inForce) throw unknownProject();
  if (isStale(proposal, inForce.version)) {
    throw new GateError(
      'conflict',
      `It was made from version ${proposal.basedOn.version}, and version ${inForce.version} is in force by now; propose the change again from there.`,
      {},
    );
  }
  const policy = compile(proposal);
  await assertApproversKnown(tx, project.id, policy);
  const version = await applyPolicy(change, policy, inForce, {
    createdBy: proposal.proposedBy.display,
    tells: { proposal_id: proposal.id, proposed_by: proposal.proposedBy.id },
  });
  return resolveProposal(change, proposal, {
    status: 'approved',
    at: now,
    by,
    reason: null,
    version: version.version,
  });
}

async function approveOnePerson(
  change: ProjectChange<ProposalWriter>,
  proposal: PolicyProposal,
  by: ProposalParty,
): Promise<PolicyProposal> {
  const { tx, project, now, record } = change;
  await tx.setPolicySecondPerson(project.id, false);
  await record('policy.second_person_updated', {
    required: false,
    proposal_id: proposal.id,
    proposed_by: proposal.proposedBy.id,
  });
  return resolveProposal(change, proposal, { status: 'approved', at: now, by, reason: null, version: null });
}

async function approveAgentChange(
  change: ProjectChange<AgentReader & AgentWriter & ProposalWriter>,
  proposal: PolicyProposal,
  by: ProposalParty,
): Promise<PolicyProposal> {
  await applyAgentProposal(change, proposal);
  const resolution = { status: 'approved', at: change.now, by, reason: null, version: null } as const;
  return resolveProposal(change, proposal, resolution);
}

async function assertProposerStands({ tx, project }: ProjectChange, proposal: PolicyProposal): Promise<void> {
  const members = await tx.listMembers(project.id);
  if (proposerStands(proposal, (id) => members.find(({ userId }) => userId === id))) return;
  const message = 'Whoever proposed this may not do so any more; propose it again.';
  throw new GateError('conflict', message, {});
}

/** It parsed when it was proposed; one that does not any more must not come in force. */
function compile({ document }: PolicyProposal): CompiledPolicy {
  const parsed = document && parsePolicy(document);
  if (parsed?.ok) return parsed.policy;
  throw new GateError('conflict', 'This document is no policy any more; propose it again.', {});
}

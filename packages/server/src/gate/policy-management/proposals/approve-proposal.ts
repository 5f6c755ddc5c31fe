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
 * Publishes another person's policy change for all later requests. The new version, the end of the proposal and the
 * event commit together. Of two concurrent approvals, only the first succeeds.
 *
 * @throws GateError `project_not_found`, `forbidden` also for the proposer, `not_found`. `conflict` if the proposal is
 * no
 * longer pending, is out of date, or its proposer may no longer change the policy. A proposal is out of date once
 * another policy is active or its agent was changed. `approver_not_found` if it names a person or group that no longer
 * exists.
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
      `The change is based on version ${proposal.basedOn.version}, but version ${inForce.version} is active now. Propose it again, based on the active version.`,
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
  const message =
    'The proposer is no longer allowed to make this change, so it cannot be approved. Someone who is allowed must propose it again.';
  throw new GateError('conflict', message, {});
}

/** The document was valid when it was proposed. A document that no longer parses must not become active. */
function compile({ document }: PolicyProposal): CompiledPolicy {
  const parsed = document && parsePolicy(document);
  if (parsed?.ok) return parsed.policy;
  throw new GateError(
    'conflict',
    'This document is no longer a valid policy, so it cannot be approved. Correct it and propose it again.',
    {},
  );
}

import type { EventType } from '@permitry/protocol';
import type { Caller } from '../../access/caller.ts';
import type { AgentReader, AgentWriter } from '../../agents/agent.ts';
import type {
  PolicyProposal,
  ProposalParty,
  ProposalReader,
  ProposalResolution,
  ProposalWriter,
} from '../../four-eyes/policy-proposal.ts';
import { proposingPerson } from '../../four-eyes/proposing-person.ts';
import { areTwoPeople } from '../../four-eyes/second-person.ts';
import { GateError } from '../../kernel/errors.ts';
import { unknownProposal } from '../../kernel/not-found.ts';
import { changeProject, type ProjectChange } from '../../projects/change-project.ts';
import type { PolicyDeps } from '../policy-deps.ts';

export interface ProposalInput {
  projectId: string;
  proposalId: string;
}

/** Input for rejecting another person's proposal. */
export interface RejectionInput extends ProposalInput {
  reason?: string;
}

/**
 * The shared part of all operations on a proposal. The proposal must exist and be pending, and the caller must be a
 * person.
 */
export function changeProposal<T>(
  gate: PolicyDeps,
  caller: Caller,
  { projectId, proposalId }: ProposalInput,
  work: (
    change: ProjectChange<AgentReader & AgentWriter & ProposalReader & ProposalWriter>,
    proposal: PolicyProposal,
    by: ProposalParty,
  ) => Promise<T>,
): Promise<T> {
  return changeProject(gate, caller, projectId, 'policies:write', async (change) => {
    const proposal = await change.tx.findPolicyProposal(projectId, proposalId);
    if (!proposal) throw unknownProposal();
    const by = proposingPerson(change.caller);
    if (proposal.status !== 'pending') throw alreadyResolved(proposal);
    return work(change, proposal, by);
  });
}

/** Throws if the caller is the proposer, or does not count as a second person. */
export async function assertSecondPerson(
  { tx, project, caller }: ProjectChange,
  { proposedBy }: PolicyProposal,
  by: ProposalParty,
): Promise<void> {
  if (by.id === proposedBy.id) {
    throw notTheSecond(
      'You proposed this change, so another person must approve or reject it. You can withdraw it.',
    );
  }
  const members = await tx.listMembers(project.id);
  const second = { id: by.id, isPresent: caller.kind === 'session' };
  if (!areTwoPeople(proposedBy.id, second, (id) => members.find(({ userId }) => userId === id))) {
    throw notTheSecond(
      'You or the proposer became a member through a program of the other, or both of you through programs of the same person. Another person must decide.',
    );
  }
}

function notTheSecond(message: string): GateError {
  return new GateError('forbidden', message, { required: 'second_person' });
}

/** Stores how the proposal ended, and returns the resolved proposal. */
export async function resolveProposal(
  { tx }: ProjectChange<ProposalWriter>,
  proposal: PolicyProposal,
  resolution: ProposalResolution,
): Promise<PolicyProposal> {
  if (!(await tx.resolvePolicyProposal(proposal.id, resolution))) throw alreadyResolved(proposal);
  const { status, at, by, reason, version } = resolution;
  return { ...proposal, status, resolvedAt: at, resolvedBy: by, reason, version };
}

/**
 * Rejects another person's proposal.
 *
 * @throws GateError `project_not_found`, `forbidden` also for the proposer, `not_found`, `conflict` if the proposal is
 * no longer pending
 */
export function rejectProposal(
  gate: PolicyDeps,
  caller: Caller,
  input: RejectionInput,
): Promise<PolicyProposal> {
  return changeProposal(gate, caller, input, async (change, proposal, by) => {
    await assertSecondPerson(change, proposal, by);
    return end(change, proposal, {
      status: 'rejected',
      by,
      reason: input.reason ?? null,
      event: 'policy.proposal_rejected',
    });
  });
}

/**
 * Withdraws the caller's own proposal.
 *
 * @throws GateError `project_not_found`, `forbidden` for everyone but the proposer, `not_found`, `conflict` if the
 * proposal is no longer pending
 */
export function withdrawProposal(
  gate: PolicyDeps,
  caller: Caller,
  input: ProposalInput,
): Promise<PolicyProposal> {
  return changeProposal(gate, caller, input, (change, proposal, by) => {
    if (by.id !== proposal.proposedBy.id) {
      const message = 'Only the proposer can withdraw this change. You can reject it.';
      throw new GateError('forbidden', message, { required: 'proposer' });
    }
    return end(change, proposal, {
      status: 'withdrawn',
      by,
      reason: null,
      event: 'policy.proposal_withdrawn',
    });
  });
}

async function end(
  change: ProjectChange<ProposalWriter>,
  proposal: PolicyProposal,
  { status, by, reason, event }: Pick<ProposalResolution, 'status' | 'by' | 'reason'> & { event: EventType },
): Promise<PolicyProposal> {
  const resolved = await resolveProposal(change, proposal, {
    status,
    at: change.now,
    by,
    reason,
    version: null,
  });
  await change.record(
    event,
    { proposal_id: proposal.id, change: proposal.change, hash: proposal.hash, reason },
    ['/data/reason'],
  );
  return resolved;
}

function alreadyResolved({ status, resolvedBy }: PolicyProposal): GateError {
  const by = resolvedBy ? ` by ${resolvedBy.display}` : '';
  const state = status === 'pending' ? 'just resolved by somebody else' : `already ${status}${by}`;
  return new GateError('conflict', `This proposal was ${state}.`, {});
}

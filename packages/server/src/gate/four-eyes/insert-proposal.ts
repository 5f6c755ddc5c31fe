import { GateError } from '../kernel/errors.ts';
import { unknownProject } from '../kernel/not-found.ts';
import type { ProjectChange } from '../projects/change-project.ts';
import type { FourEyesDeps } from './four-eyes-deps.ts';
import type { PolicyProposal, ProposalReader, ProposalWriter } from './policy-proposal.ts';
import { proposingPerson } from './proposing-person.ts';

/** More pending proposals than people can review. Each proposal may hold 128 KiB. */
const MOST_PENDING = 20;

/** Writes the caller's proposal and its event, in the transaction of the change. */
export async function insertProposal(
  gate: Pick<FourEyesDeps, 'ids'>,
  { tx, now, project, caller, record }: ProjectChange<ProposalReader & ProposalWriter>,
  proposed: Pick<PolicyProposal, 'change' | 'hash' | 'document' | 'comment'>,
): Promise<PolicyProposal> {
  const proposedBy = proposingPerson(caller);
  const inForce = await tx.findPolicy(project.id);
  if (!inForce) throw unknownProject();
  const pending = await tx.listPolicyProposals(project.id, { status: 'pending', limit: MOST_PENDING });
  if (pending.length >= MOST_PENDING) {
    const message = `${MOST_PENDING} changes are already pending; approve, reject or withdraw some of them first.`;
    throw new GateError('conflict', message, {});
  }
  const proposal: PolicyProposal = {
    id: gate.ids.next('prp'),
    projectId: project.id,
    ...proposed,
    basedOn: { version: inForce.version, hash: inForce.hash },
    proposedBy,
    createdAt: now,
    status: 'pending',
    resolvedBy: null,
    resolvedAt: null,
    reason: null,
    version: null,
  };
  await tx.insertPolicyProposal(proposal);
  await record(
    'policy.proposed',
    {
      proposal_id: proposal.id,
      change: proposal.change,
      hash: proposal.hash,
      based_on: inForce.hash,
      comment: proposal.comment,
    },
    ['/data/comment'],
  );
  return proposal;
}

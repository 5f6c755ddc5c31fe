import type { SessionCaller } from '../../access/caller.ts';
import { holdsScope } from '../../access/scopes.ts';
import type { WaitingProposal } from '../../four-eyes/policy-proposal.ts';
import { couldApprove } from '../../four-eyes/second-person.ts';
import type { PolicyDeps } from '../policy-deps.ts';

/**
 * Lists the policy changes that this person may approve, in all projects whose policy the person may change. Oldest
 * first within each project.
 */
export async function listProposalsWaitingFor(
  { storage: { read } }: Pick<PolicyDeps, 'storage'>,
  caller: SessionCaller,
): Promise<WaitingProposal[]> {
  const waiting: WaitingProposal[] = [];
  for (const { projectId } of caller.memberships) {
    if (!holdsScope(caller, 'policies:write', projectId)) continue;
    const proposals = await read.listWaitingProposals(projectId);
    const inForce = proposals.length === 0 ? undefined : await read.findPolicy(projectId);
    if (!inForce) continue;
    const members = new Map((await read.listMembers(projectId)).map((member) => [member.userId, member]));
    const standing = {
      versionInForce: inForce.version,
      findMember: (id: string) => members.get(id),
    };
    waiting.push(...proposals.filter((proposal) => couldApprove(proposal, caller.user.id, standing)));
  }
  return waiting;
}

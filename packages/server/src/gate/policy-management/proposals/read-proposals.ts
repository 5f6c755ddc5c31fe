import { assertScope } from '../../access/assert-scope.ts';
import type { Caller } from '../../access/caller.ts';
import type { PolicyProposal, ProposalStatus } from '../../four-eyes/policy-proposal.ts';
import { unknownProposal } from '../../kernel/not-found.ts';
import { type Page, type PageRequest, pageByIds } from '../../kernel/page.ts';
import type { PolicyDeps } from '../policy-deps.ts';

/** @throws GateError `project_not_found`, `forbidden`, `not_found` */
export async function getProposal(
  gate: Pick<PolicyDeps, 'storage'>,
  caller: Caller,
  { projectId, proposalId }: { projectId: string; proposalId: string },
): Promise<PolicyProposal> {
  assertScope(caller, 'policies:read', projectId);
  const proposal = await gate.storage.read.findPolicyProposal(projectId, proposalId);
  if (!proposal) throw unknownProposal();
  return proposal;
}

/**
 * Newest first.
 *
 * @throws GateError `project_not_found`, `forbidden`, `invalid_fields`
 */
export async function listProposals(
  gate: Pick<PolicyDeps, 'storage'>,
  caller: Caller,
  { projectId, status, ...page }: PageRequest & { projectId: string; status?: ProposalStatus },
): Promise<Page<PolicyProposal>> {
  assertScope(caller, 'policies:read', projectId);
  const ofStatus = status === undefined ? {} : { status };
  return pageByIds(page, 'prp_', (where) =>
    gate.storage.read.listPolicyProposals(projectId, { ...ofStatus, ...where }),
  );
}

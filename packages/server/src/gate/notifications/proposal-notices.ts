/** Finds the people to notify that a policy change needs a second person, and the people to notify how it ended. */

import type { Member } from '../approvals/people.ts';
import type { SealedEvent } from '../audit/audit-event.ts';
import type { PolicyProposal, WaitingProposal } from '../four-eyes/policy-proposal.ts';
import { couldApprove, isStale } from '../four-eyes/second-person.ts';
import type { Notice } from './notice.ts';
import type { NotificationDeps } from './notification-deps.ts';

/** The current state of a policy change that a notice is about. */
export interface ProposalOfNotice {
  proposal: PolicyProposal;
  isStale: boolean;
}

export async function toProposalNotices(
  gate: Pick<NotificationDeps, 'storage'>,
  event: SealedEvent,
): Promise<Notice[]> {
  const { id: causeId, projectId, type, data, actor } = event;
  const base = { causeId, projectId, intentId: null, riskTier: null, forChat: false };
  const proposal = await findNamed(gate, projectId, data.proposal_id);
  if (type === 'policy.proposed') {
    const userIds = proposal ? await whoCouldApprove(gate, proposal) : [];
    if (!proposal || userIds.length === 0) return [];
    return [{ ...base, kind: 'proposed', userIds, forChat: true, detail: { proposal_id: proposal.id } }];
  }
  const ended: Notice[] = [];
  if (proposal) {
    const { id, proposedBy } = proposal;
    ended.push({ ...base, kind: 'proposal_ended', userIds: [proposedBy.id], detail: { proposal_id: id } });
  }
  if (type === 'policy.updated') {
    for (const { id, proposedBy } of await findGoneStale(gate, projectId, data.version)) {
      if (proposedBy.id === actor.id) continue;
      // Each change gets its own cause, because one event can make several changes of one person stale.
      const cause = { causeId: `${id} went stale`, detail: { proposal_id: id } };
      ended.push({ ...base, ...cause, kind: 'proposal_ended', userIds: [proposedBy.id] });
    }
  }
  return ended;
}

/**
 * The proposal, checked again when the notice is sent. Undefined when there is nothing left to say.
 *
 * @param userId Null: a project's chat.
 */
export async function findProposalOfNotice(
  gate: Pick<NotificationDeps, 'storage'>,
  kind: 'proposed' | 'proposal_ended',
  {
    projectId,
    proposalId,
    userId,
  }: { projectId: string; proposalId: string | undefined; userId: string | null },
): Promise<ProposalOfNotice | undefined> {
  const proposal = await findNamed(gate, projectId, proposalId);
  if (!proposal || proposal.status === 'withdrawn') return undefined;
  const versionInForce = (await gate.storage.read.findPolicy(projectId))?.version ?? 0;
  const found = { proposal, isStale: proposal.status === 'pending' && isStale(proposal, versionInForce) };
  if (kind === 'proposal_ended') return proposal.status !== 'pending' || found.isStale ? found : undefined;
  const able = await whoCouldApprove(gate, proposal);
  return (userId === null ? able.length > 0 : able.includes(userId)) ? found : undefined;
}

async function findNamed(
  gate: Pick<NotificationDeps, 'storage'>,
  projectId: string,
  id: unknown,
): Promise<PolicyProposal | undefined> {
  return typeof id === 'string' ? gate.storage.read.findPolicyProposal(projectId, id) : undefined;
}

/** Policy changes based on the version before this one. They became stale with this version, and are reported once. */
async function findGoneStale(
  gate: Pick<NotificationDeps, 'storage'>,
  projectId: string,
  version: unknown,
): Promise<WaitingProposal[]> {
  const waiting = await gate.storage.read.listWaitingProposals(projectId);
  return waiting.filter(
    ({ change, basedOn }) =>
      change === 'policy' && typeof version === 'number' && basedOn.version === version - 1,
  );
}

async function whoCouldApprove(
  gate: Pick<NotificationDeps, 'storage'>,
  proposal: PolicyProposal,
): Promise<string[]> {
  const { projectId } = proposal;
  const versionInForce = (await gate.storage.read.findPolicy(projectId))?.version ?? 0;
  const members: ReadonlyMap<string, Member> = new Map(
    (await gate.storage.read.listMembers(projectId)).map((member) => [member.userId, member]),
  );
  const standing = { versionInForce, findMember: (id: string) => members.get(id) };
  return [...members.keys()].filter((userId) => couldApprove(proposal, userId, standing));
}

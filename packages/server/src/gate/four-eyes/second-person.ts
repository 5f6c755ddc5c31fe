/** Who can be the second person of a proposal. The approval and the lists of waiting proposals both use these rules. */
import { presentPersonMay, roleReaches } from '../access/scopes.ts';
import type { Member } from '../approvals/people.ts';
import type { PolicyProposal, WaitingProposal } from './policy-proposal.ts';

/** The member with this id, if there is one. */
type FindMember = (userId: string) => Member | undefined;

/**
 * Whether these are two people. A member whom a person's program added may be that program. So neither of the two may
 * have been added by the other's programs, nor both by one person's programs.
 */
export function areTwoPeople(
  proposerId: string,
  by: { id: string; isPresent: boolean },
  findMember: FindMember,
): boolean {
  const broughtInBy = (id: string) => findMember(id)?.broughtInBy ?? [];
  const behindProposer = [proposerId, ...broughtInBy(proposerId)];
  const behindProgram = by.isPresent ? [] : [by.id];
  return ![...behindProgram, ...broughtInBy(by.id)].some((id) => behindProposer.includes(id));
}

/** Whether the proposer may still propose. Without this check, one member alone could change the policy. */
export function proposerStands(
  { change, proposedBy }: Pick<PolicyProposal, 'change' | 'proposedBy'>,
  findMember: FindMember,
): boolean {
  const proposer = findMember(proposedBy.id);
  return (
    proposer !== undefined && roleReaches(proposer.role, change === 'second_person_off' ? 'owner' : 'admin')
  );
}

/**
 * Whether another policy was published after the proposal. Compares versions, because the proposer did not review a
 * version that was restored later.
 */
export function isStale({ change, basedOn }: WaitingProposal, versionInForce: number): boolean {
  return change === 'policy' && basedOn.version !== versionInForce;
}

/**
 * Whether this person, when present, could approve the proposal now. The approval itself also checks that everybody
 * whom the document names is still a member. If not, the person can reject the proposal.
 */
export function couldApprove(
  proposal: WaitingProposal,
  userId: string,
  { versionInForce, findMember }: { versionInForce: number; findMember: FindMember },
): boolean {
  const member = findMember(userId);
  return (
    proposal.status === 'pending' &&
    member !== undefined &&
    presentPersonMay(member.role, 'policies:write') &&
    userId !== proposal.proposedBy.id &&
    !isStale(proposal, versionInForce) &&
    proposerStands(proposal, findMember) &&
    areTwoPeople(proposal.proposedBy.id, { id: userId, isPresent: true }, findMember)
  );
}

/** Who can be the second person of a proposal: asked by whoever approves, and for whom it waits. */
import { presentPersonMay, roleReaches } from '../access/scopes.ts';
import type { Member } from '../approvals/people.ts';
import type { PolicyProposal, WaitingProposal } from './policy-proposal.ts';

/** The member of this id, if there is one. */
type FindMember = (userId: string) => Member | undefined;

/**
 * Whether two people are behind it. Whom a program of somebody made a member may be that program: so the two are
 * neither one person's programs and their making, nor both of one person's programs' making.
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

/** Else the word of one person, and of one who is none any more, would be enough. */
export function proposerStands(
  { change, proposedBy }: Pick<PolicyProposal, 'change' | 'proposedBy'>,
  findMember: FindMember,
): boolean {
  const proposer = findMember(proposedBy.id);
  return (
    proposer !== undefined && roleReaches(proposer.role, change === 'second_person_off' ? 'owner' : 'admin')
  );
}

/** Whether another policy came in force since. By version: one that came back is not what the proposer looked at. */
export function isStale({ change, basedOn }: WaitingProposal, versionInForce: number): boolean {
  return change === 'policy' && basedOn.version !== versionInForce;
}

/**
 * Whether this person, present, could approve it now. Only whether everybody whom its document names is still there is
 * left to the approval itself: whoever looks at it then can reject it.
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

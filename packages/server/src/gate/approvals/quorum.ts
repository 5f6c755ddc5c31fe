import type { ApprovalMethod, ProjectMode } from '@permitry/protocol';
import { ableFor } from './able-for.ts';
import type { Approval } from './approval.ts';
import { fillSlots, slotsOf } from './fill-slots.ts';
import type { People } from './people.ts';
import { countSlots, type Requirement, type RequirementEntry } from './requirement.ts';

/** What the approvals of one request have to meet. */
export interface VotingTerms {
  /** The one fixed when the request was made and the one policy asks now: each is met by itself. */
  requirements: readonly Requirement[];
  /** How many different people the request itself wants, each able to fill a place. */
  minApprovals: number | null;
  people: People;
  /** In live mode a program fills a place only where the entry says so. */
  mode: ProjectMode;
}

/** Of an approval, what it counts by. */
export type CastVote = Pick<Approval, 'userId' | 'method'>;

/** How far the terms are met. */
export interface Quorum {
  received: number;
  /** At least so many people; `received` reaches it when the request is approved, and not before. */
  required: number;
  met: boolean;
}

/** Whether a program cast the vote: a secret key, or a user token without a device proof. */
export function isProgramVote(method: ApprovalMethod): boolean {
  return method === 'key' || method === 'token';
}

function fills(entry: RequirementEntry, terms: VotingTerms, { userId, method }: CastVote): boolean {
  const mayFill = terms.mode !== 'live' || entry.programs === true || !isProgramVote(method);
  return mayFill && ableFor(entry, terms.people).has(userId);
}

function fillsIn(requirement: Requirement, terms: VotingTerms, vote: CastVote): boolean {
  return requirement.some((entry) => fills(entry, terms, vote));
}

/** Whether this vote could fill any place. */
export function fillsSlot(terms: VotingTerms, vote: CastVote): boolean {
  return terms.requirements.some((requirement) => fillsIn(requirement, terms, vote));
}

/** Whether a vote could fill a place in a requirement where an earlier one of the same person could not. */
export function addsTo(earlier: CastVote, vote: CastVote, terms: VotingTerms): boolean {
  return terms.requirements.some(
    (requirement) => fillsIn(requirement, terms, vote) && !fillsIn(requirement, terms, earlier),
  );
}

/** Counts approvals against each requirement; the one that is furthest from being met says how far. */
export function countQuorum(terms: VotingTerms, votes: readonly CastVote[]): Quorum {
  const { requirements, minApprovals } = terms;
  const most = Math.max(0, ...requirements.map(countSlots));
  const required = most === 0 ? 0 : Math.max(most, minApprovals ?? 0);
  const missing = Math.max(0, ...requirements.map((each) => countMissing(each, terms, votes).total));
  return { received: required - missing, required, met: missing === 0 };
}

/** What a requirement still lacks: of each entry the places that nobody fills, and people in all. */
interface Missing {
  slots: readonly number[];
  /** More than the places together where the request asks for more people than there are places. */
  total: number;
}

export function countMissing(
  requirement: Requirement,
  terms: VotingTerms,
  votes: readonly CastVote[],
): Missing {
  if (requirement.length === 0) return { slots: [], total: 0 };
  const approversOf = (entry: RequirementEntry) =>
    new Set(votes.filter((vote) => fills(entry, terms, vote)).map(({ userId }) => userId));
  const able = slotsOf(requirement, approversOf);
  const filled = fillSlots(able);
  const open = filled.filter((isFilled) => !isFilled).length;
  const approvers = able.reduce((all, some) => all.union(some), new Set<string>()).size;
  let slot = 0;
  const slots = requirement.map(({ count }) => {
    const own = filled.slice(slot, slot + count);
    slot += count;
    return own.filter((isFilled) => !isFilled).length;
  });
  return { slots, total: Math.max(open, (terms.minApprovals ?? 0) - approvers) };
}

import type { ApprovalMethod, ProjectMode } from '@permitry/protocol';
import { ableFor } from './able-for.ts';
import type { Approval } from './approval.ts';
import { fillSlots, slotsOf } from './fill-slots.ts';
import type { People } from './people.ts';
import { countSlots, type Requirement, type RequirementEntry } from './requirement.ts';

/** What the approvals of one request must meet. */
export interface VotingTerms {
  /**
   * Two requirements, each to be met separately: the one fixed when the request was created, and the current policy's.
   */
  requirements: readonly Requirement[];
  /** How many different people the request itself requires, each able to fill a slot. */
  minApprovals: number | null;
  people: People;
  /** In live mode a program fills a slot only if the entry says so. */
  mode: ProjectMode;
}

/** The properties of an approval that decide how it counts. */
export type CastVote = Pick<Approval, 'userId' | 'method'>;

/** How far the terms are met. */
export interface Quorum {
  received: number;
  /** The minimum number of people. `received` reaches it exactly when the request is approved. */
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

/** Whether this vote could fill any slot. */
export function fillsSlot(terms: VotingTerms, vote: CastVote): boolean {
  return terms.requirements.some((requirement) => fillsIn(requirement, terms, vote));
}

/** Whether a vote could fill a slot in a requirement where the person's earlier vote could not. */
export function addsTo(earlier: CastVote, vote: CastVote, terms: VotingTerms): boolean {
  return terms.requirements.some(
    (requirement) => fillsIn(requirement, terms, vote) && !fillsIn(requirement, terms, earlier),
  );
}

/** Counts approvals against each requirement. Returns the count of the requirement that lacks most approvals. */
export function countQuorum(terms: VotingTerms, votes: readonly CastVote[]): Quorum {
  const { requirements, minApprovals } = terms;
  const most = Math.max(0, ...requirements.map(countSlots));
  const required = most === 0 ? 0 : Math.max(most, minApprovals ?? 0);
  const missing = Math.max(0, ...requirements.map((each) => countMissing(each, terms, votes).total));
  return { received: required - missing, required, met: missing === 0 };
}

/** The approvals that a requirement still lacks: the unfilled slots of each entry, and people in total. */
interface Missing {
  slots: readonly number[];
  /** Exceeds the sum of the slots when the request requires more people than there are slots. */
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

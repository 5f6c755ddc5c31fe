import { ableFor } from '../approvals/able-for.ts';
import type { Approval } from '../approvals/approval.ts';
import { countQuorum, type VotingTerms } from '../approvals/quorum.ts';
import { type Vote, weighVote } from '../approvals/weigh-vote.ts';
import type { Intent } from '../intents/intent.ts';
import type { Instant } from '../kernel/instant.ts';

/** The data needed to find the approvers of an intent. */
export interface Waiting {
  intent: Intent;
  terms: VotingTerms;
  /** IDs of the people behind the request. */
  behind: ReadonlySet<string>;
  votes: readonly Approval[];
  now: Instant;
}

/**
 * If thousands can meet a requirement, people know that it is open to all, and notifying each of them is not needed.
 */
const MOST_PEOPLE = 500;

/**
 * IDs of the people whose approval, given now and in person, would count and fill an open slot. Decisions are weighed
 * by the same rule, so nobody is asked to decide a request that they may not decide.
 */
export function whoIsAsked(waiting: Waiting): string[] {
  const { requirements, people } = waiting.terms;
  const received = countReceived(waiting);
  const able = new Set(requirements.flat().flatMap((entry) => [...ableFor(entry, people)]));
  return [...able].filter((userId) => wouldHelp(waiting, userId, received)).slice(0, MOST_PEOPLE);
}

/** Whether the person is an approver whose approval would help. */
export function isAsked(waiting: Waiting, userId: string): boolean {
  return wouldHelp(waiting, userId, countReceived(waiting));
}

function countReceived({ terms, votes }: Waiting): number {
  return countQuorum(
    terms,
    votes.filter(({ decision }) => decision === 'approve'),
  ).received;
}

function wouldHelp({ votes, ...given }: Waiting, userId: string, received: number): boolean {
  if (votes.some((earlier) => earlier.userId === userId)) return false;
  const vote: Vote = { userId, decision: 'approve', method: 'passkey', byProgram: false };
  const verdict = weighVote({ ...given, votes, vote });
  if (verdict.kind === 'approved') return true;
  return verdict.kind === 'recorded' && verdict.quorum.received > received;
}

import type { ApprovalMethod, IntentStatus, ProofTier } from '@permitry/protocol';
import { PROOF_TIERS } from '@permitry/protocol';
import type { Instant } from '../kernel/instant.ts';
import { ableFor, peopleNamed } from './able-for.ts';
import type { Approval } from './approval.ts';
import { addsTo, countQuorum, fillsSlot, isProgramVote, type Quorum, type VotingTerms } from './quorum.ts';

/** A vote before it is cast. The person comes from the credential, never from the request. */
export interface Vote {
  userId: string;
  decision: 'approve' | 'deny';
  method: ApprovalMethod;
  /** Whether a program (secret key, user token) casts the vote rather than the person in a session. */
  byProgram: boolean;
}

/** The parts of an intent that a vote is weighed against. */
export interface VotedIntent {
  status: IntentStatus;
  expiresAt: Instant;
  proofTier: ProofTier;
  /** The person who resubmitted the intent for the requester. */
  askedBy: string | null;
}

/** The effect of the vote on the intent. */
export type Verdict =
  | { kind: 'already_resolved'; status: 'approved' | 'denied' }
  | { kind: 'expired' }
  | { kind: 'not_an_approver' }
  | { kind: 'own_request' }
  /** `session`: a device proof is not enough, because the person's own program sent the request. */
  | { kind: 'person_required'; required: 'person' | 'session' }
  | { kind: 'already_voted' }
  | { kind: 'proof_required'; tier: ProofTier }
  | { kind: 'recorded'; quorum: Quorum }
  /** The earlier approvals that count beside this one. */
  | { kind: 'approved'; counted: readonly Approval[]; slots: number }
  | { kind: 'denied' };

/** Why a vote does not count. */
export type VoteRefusal = Exclude<Verdict, { kind: 'recorded' | 'approved' | 'denied' }>;

const TIER_OF_METHOD: Record<ApprovalMethod, ProofTier> = {
  policy: 'none',
  key: 'none',
  token: 'none',
  session: 'session',
  device: 'device',
  passkey: 'passkey',
};

/** The proof tier that an approval by this method reaches. */
function tierReached(method: ApprovalMethod): ProofTier {
  return TIER_OF_METHOD[method];
}

/** The tier that approvals reach together: that of the weakest one. */
export function tierReachedBy(approvals: readonly { method: ApprovalMethod }[]): ProofTier {
  const tiers = approvals.map(({ method }) => PROOF_TIERS.indexOf(tierReached(method)));
  return PROOF_TIERS[Math.min(...tiers)] ?? 'none';
}

/** Whether `reached` is at least `asked`. Nothing suffices for an unknown tier. */
export function tierSuffices(reached: ProofTier, asked: ProofTier): boolean {
  const needed = PROOF_TIERS.indexOf(asked);
  return needed >= 0 && PROOF_TIERS.indexOf(reached) >= needed;
}

/**
 * Separation of duties (contract §3): why this vote cannot approve in live mode, or null. Nobody approves a request
 * that they resubmitted themselves. People behind a request approve it only when they are present, never through a
 * program. A member whom a program added may be that program, even in a session. So such a member approves no request
 * that has the program's owner, or the member themselves, behind it.
 */
function findBond(
  { mode, people }: VotingTerms,
  askedBy: string | null,
  behind: ReadonlySet<string>,
  vote: Pick<Vote, 'userId' | 'method' | 'byProgram'>,
): VoteRefusal | null {
  if (mode !== 'live') return null;
  if (askedBy === vote.userId) return { kind: 'own_request' };
  const broughtInBy = people.member(vote.userId)?.broughtInBy ?? [];
  if (![vote.userId, ...broughtInBy].some((userId) => behind.has(userId))) return null;
  if (broughtInBy.length > 0) return { kind: 'own_request' };
  if (isProgramVote(vote.method)) return { kind: 'person_required', required: 'person' };
  // A device proof makes a token's vote a person's, but a program of the person may use their terminal.
  return vote.byProgram ? { kind: 'person_required', required: 'session' } : null;
}

/**
 * Whether a person may deny. They need the role approver or above, and one of these:
 * - the role admin or owner;
 * - being behind the request;
 * - being able to fill a slot, now or if the request named nobody.
 *
 * Narrowing, separation of duties and proof tiers do not prevent a denial.
 */
function mayDeny(
  { requirements, people }: VotingTerms,
  behind: ReadonlySet<string>,
  userId: string,
): boolean {
  if (!people.approversNamed('role:approver').has(userId)) return false;
  if (people.approversNamed('role:admin').has(userId) || behind.has(userId)) return true;
  return requirements
    .flat()
    .some((entry) => peopleNamed(entry.from, people).has(userId) || ableFor(entry, people).has(userId));
}

/**
 * The tier that an approval requires now: the higher of the tier fixed when the intent was created and the policy's
 * current one.
 */
export function tierInForce(fixed: ProofTier, asked: ProofTier): ProofTier {
  return tierSuffices(asked, fixed) ? asked : fixed;
}

/**
 * Earlier approvals that still count. They reach the tier, which the policy may have raised since. The people who gave
 * the approvals can still fill a slot, and no rule for programs excludes them.
 */
export function countedApprovals(
  votes: readonly Approval[],
  tier: ProofTier,
  terms: VotingTerms,
  behind: ReadonlySet<string>,
): readonly Approval[] {
  return votes.filter(
    ({ decision, method, userId }) =>
      decision === 'approve' &&
      tierSuffices(tierReached(method), tier) &&
      fillsSlot(terms, { userId, method }) &&
      !(isProgramVote(method) && findBond(terms, null, behind, { userId, method, byProgram: true })),
  );
}

/**
 * Whether votes that were given in advance meet the terms now. Each is weighed as if its person voted now in the same
 * way: by tier, by slot, and by separation of duties.
 */
export function votesMeet(
  votes: readonly Approval[],
  tier: ProofTier,
  terms: VotingTerms,
  behind: ReadonlySet<string>,
): boolean {
  const counted = countedApprovals(votes, tier, terms, behind).filter(
    ({ userId, method }) =>
      findBond(terms, null, behind, { userId, method, byProgram: isProgramVote(method) }) === null,
  );
  return countQuorum(terms, counted).met;
}

/** Weighs one vote against the state of the intent, the current people, and the existing votes. */
export function weighVote(given: {
  intent: VotedIntent;
  terms: VotingTerms;
  /** Ids of the people behind the request. */
  behind: ReadonlySet<string>;
  /** The policy's current tier; default none. The higher of this tier and the intent's own counts. */
  policyTier?: ProofTier;
  votes: readonly Approval[];
  vote: Vote;
  now: Instant;
}): Verdict {
  const { intent, terms, behind, votes, vote, policyTier = 'none' } = given;
  if (intent.status === 'approved' || intent.status === 'denied') {
    return { kind: 'already_resolved', status: intent.status };
  }
  // The expiry takes precedence: an approval after it would sign a permit that nobody may use.
  if (intent.status === 'expired' || intent.expiresAt <= given.now) return { kind: 'expired' };
  if (vote.decision === 'deny') {
    return mayDeny(terms, behind, vote.userId) ? { kind: 'denied' } : { kind: 'not_an_approver' };
  }
  if (!fillsSlot(terms, { ...vote, method: 'session' })) return { kind: 'not_an_approver' };
  const bond = findBond(terms, intent.askedBy, behind, vote);
  if (bond) return bond;
  const tier = tierInForce(intent.proofTier, policyTier);
  const counted = countedApprovals(votes, tier, terms, behind);
  const earlier = counted.find(({ userId }) => userId === vote.userId);
  if (earlier && !addsTo(earlier, vote, terms)) return { kind: 'already_voted' };
  if (!tierSuffices(tierReached(vote.method), tier)) return { kind: 'proof_required', tier };
  if (!fillsSlot(terms, vote)) return { kind: 'person_required', required: 'person' };
  const others = counted.filter(({ userId }) => userId !== vote.userId);
  const quorum = countQuorum(terms, [...others, vote]);
  return quorum.met
    ? { kind: 'approved', counted: others, slots: quorum.required }
    : { kind: 'recorded', quorum };
}

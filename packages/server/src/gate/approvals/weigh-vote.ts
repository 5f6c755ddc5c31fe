import type { ApprovalMethod, ProjectMode, ProofTier } from '@permitry/protocol';
import { PROOF_TIERS } from '@permitry/protocol';
import type { Instant } from '../instant.ts';
import type { Intent } from '../intents/intent.ts';
import type { People } from '../projects/people.ts';
import type { Approval } from './approval.ts';
import { canApprove, countQuorum, type Quorum } from './quorum.ts';
import type { Requirement } from './requirement.ts';

/** A vote about to be given: the person comes from the credential, never from the request. */
export interface Vote {
  userId: string;
  decision: 'approve' | 'deny';
  method: ApprovalMethod;
  /** Whether a program casts it (secret key, user token) rather than the person, present. */
  byProgram: boolean;
}

/** What the vote does to the intent. */
export type Verdict =
  | { kind: 'already_resolved'; status: 'approved' | 'denied' }
  | { kind: 'expired' }
  | { kind: 'not_an_approver' }
  | { kind: 'own_request' }
  | { kind: 'already_voted' }
  | { kind: 'proof_required'; tier: ProofTier }
  | { kind: 'recorded'; quorum: Quorum }
  /** The earlier approvals that count beside this one. */
  | { kind: 'approved'; counted: readonly Approval[]; places: number }
  | { kind: 'denied' };

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

/** The tier that approvals reach together: no more than the weakest of them. */
export function tierReachedBy(approvals: readonly { method: ApprovalMethod }[]): ProofTier {
  const tiers = approvals.map(({ method }) => PROOF_TIERS.indexOf(tierReached(method)));
  return PROOF_TIERS[Math.min(...tiers)] ?? 'none';
}

/** Whether `reached` is at least `asked`. Nothing suffices for a tier that is none. */
export function tierSuffices(reached: ProofTier, asked: ProofTier): boolean {
  const needed = PROOF_TIERS.indexOf(asked);
  return needed >= 0 && PROOF_TIERS.indexOf(reached) >= needed;
}

/**
 * Separation of duties (contract §3): in live mode nobody decides what they requested, or asked for again themselves,
 * and no program decides what any program of the same owner requested. A member whom a program brought in may be that
 * program, however present: they decide neither what it requested, nor what they or another it brought in did. In test
 * mode one key may walk the whole path.
 */
function isOwnRequest(
  mode: ProjectMode,
  { askedBy, requester }: Intent,
  { userId, byProgram }: Vote,
  people: People,
): boolean {
  if (mode !== 'live') return false;
  if (askedBy === userId) return true;
  const broughtInBy = (person: string) => people.member(person)?.broughtInBy ?? [];
  if (!byProgram && broughtInBy(userId).length === 0) return false;
  const behindRequest = [requester.ownerId, askedBy].flatMap((person) =>
    person === null ? [] : [person, ...broughtInBy(person)],
  );
  return [userId, ...broughtInBy(userId)].some((person) => behindRequest.includes(person));
}

/** The tier an approval takes now: fixed when the intent was made, and asked of policy again; the higher wins. */
export function tierInForce(fixed: ProofTier, asked: ProofTier): ProofTier {
  return tierSuffices(asked, fixed) ? asked : fixed;
}

/** Approvals that reach the tier: what policy asks more of since, whoever approved before has to give as well. */
export function provedApprovals(votes: readonly Approval[], tier: ProofTier): readonly Approval[] {
  return votes.filter(
    ({ decision, method }) => decision === 'approve' && tierSuffices(tierReached(method), tier),
  );
}

/** Weighs one vote against the state of the intent, the people as they are now, and the votes there are. */
export function weighVote(given: {
  intent: Intent;
  mode: ProjectMode;
  people: People;
  /** The fixed requirement and the one policy asks now, merged. */
  requirement: Requirement;
  /** The tier policy asks now; left out: none. The intent's own was fixed when it was made, and the higher wins. */
  policyTier?: ProofTier;
  votes: readonly Approval[];
  vote: Vote;
  now: Instant;
}): Verdict {
  const { intent, people, requirement, votes, vote, policyTier = 'none' } = given;
  const tier = tierInForce(intent.proofTier, policyTier);
  if (intent.status === 'approved' || intent.status === 'denied') {
    return { kind: 'already_resolved', status: intent.status };
  }
  // Expiry wins the race: an approval after it would sign a permit nobody may use.
  if (intent.status === 'expired' || intent.expiresAt <= given.now) return { kind: 'expired' };
  if (!canApprove(requirement, people, vote.userId)) return { kind: 'not_an_approver' };
  if (isOwnRequest(given.mode, intent, vote, people)) return { kind: 'own_request' };
  if (vote.decision === 'deny') return { kind: 'denied' };
  // Proof is looked at again.
  const proved = provedApprovals(votes, tier);
  if (proved.some((earlier) => earlier.userId === vote.userId)) return { kind: 'already_voted' };
  if (!tierSuffices(tierReached(vote.method), tier)) return { kind: 'proof_required', tier };
  // Membership, too: an approval of someone who may no longer give it does not count.
  const counted = proved.filter((earlier) => canApprove(requirement, people, earlier.userId));
  const quorum = countQuorum(requirement, people, [...counted.map((earlier) => earlier.userId), vote.userId]);
  return quorum.met ? { kind: 'approved', counted, places: quorum.required } : { kind: 'recorded', quorum };
}

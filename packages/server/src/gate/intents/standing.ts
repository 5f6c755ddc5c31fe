import type { Reviewer } from '../access/caller.ts';
import { holdsScope } from '../access/scopes.ts';
import type { Approval } from '../approvals/approval.ts';
import type { VotingTerms } from '../approvals/quorum.ts';
import { voterOf } from '../approvals/voter-of.ts';
import { tierInForce, type Verdict, weighVote } from '../approvals/weigh-vote.ts';
import type { Instant } from '../kernel/instant.ts';
import type { PolicyOutcome } from '../policy/outcome.ts';
import type { DeniedLately } from './denied-lately.ts';
import { isDecidedInPlace } from './in-place.ts';
import type { Intent } from './intent.ts';

type WhyNot =
  | 'resolved'
  | 'viewer'
  | 'not_an_approver'
  | 'own_request'
  | 'person_required'
  | 'already_voted'
  | 'policy_denies';

/**
 * Whether this caller may approve an intent now. `inPlace`: in a list, with one confirmation. Higher risk, more proof
 * than a session, or a recent denial requires its own page.
 */
export type Standing = { canDecide: true; inPlace: boolean } | { canDecide: false; whyNot: WhyNot };

/** Applies the same rule as the decision itself. */
export function standingOf(
  caller: Reviewer,
  at: {
    intent: Intent;
    terms: VotingTerms;
    behind: ReadonlySet<string>;
    outcome: PolicyOutcome;
    votes: readonly Approval[];
    now: Instant;
    deniedLately: DeniedLately | null;
  },
): Standing {
  const { outcome, intent, deniedLately, ...given } = at;
  const voter = voterOf(caller);
  // If a person is required, a user token can approve with a device proof, which its program can make.
  const method = caller.kind === 'user' && at.terms.mode === 'live' ? 'device' : voter.method;
  const verdict = weighVote({
    ...given,
    intent,
    policyTier: outcome.proofTier,
    vote: { ...voter, method, decision: 'approve' },
  });
  const resolved = verdict.kind === 'already_resolved' || verdict.kind === 'expired';
  if (!resolved && !holdsScope(caller, 'intents:decide', intent.projectId)) return cannot('viewer');
  return fromVerdict(verdict, outcome, intent, deniedLately);
}

function fromVerdict(
  verdict: Verdict,
  outcome: PolicyOutcome,
  intent: Intent,
  deniedLately: DeniedLately | null,
): Standing {
  switch (verdict.kind) {
    case 'already_resolved':
    case 'expired':
      return cannot('resolved');
    case 'not_an_approver':
    case 'own_request':
    case 'person_required':
    case 'already_voted':
      return cannot(verdict.kind);
    default:
      if (outcome.effect === 'deny') return cannot('policy_denies');
      return {
        canDecide: true,
        inPlace:
          deniedLately === null &&
          isDecidedInPlace({ ...intent, proofTier: tierInForce(intent.proofTier, outcome.proofTier) }),
      };
  }
}

function cannot(whyNot: WhyNot): Standing {
  return { canDecide: false, whyNot };
}

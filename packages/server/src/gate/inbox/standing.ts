import type { Reviewer } from '../access/caller.ts';
import { holdsScope } from '../access/scopes.ts';
import type { Approval } from '../approvals/approval.ts';
import type { Requirement } from '../approvals/requirement.ts';
import { voterOf } from '../approvals/voter-of.ts';
import { tierInForce, type Verdict, weighVote } from '../approvals/weigh-vote.ts';
import type { Instant } from '../instant.ts';
import type { Intent } from '../intents/intent.ts';
import type { PolicyOutcome } from '../policy/outcome.ts';
import type { ProjectSettings } from '../projects/project-settings.ts';
import { isDecidedInPlace } from './in-place.ts';

type WhyNot = 'resolved' | 'viewer' | 'not_an_approver' | 'own_request' | 'already_voted' | 'policy_denies';

/**
 * Whether a person may approve an intent now, as they call. `inPlace`: in a list, with one confirmation; what weighs more,
 * or takes more proof than being signed in, is decided on its own page.
 */
export type Standing = { canDecide: true; inPlace: boolean } | { canDecide: false; whyNot: WhyNot };

/** Asks the rule that the decision itself will ask; the requirement is the one merged with what policy asks now. */
export function standingOf(
  caller: Reviewer,
  settings: ProjectSettings,
  at: {
    intent: Intent;
    requirement: Requirement;
    outcome: PolicyOutcome;
    votes: readonly Approval[];
    now: Instant;
  },
): Standing {
  const { intent, requirement, outcome, votes, now } = at;
  const verdict = weighVote({
    intent,
    mode: settings.mode,
    people: settings.people,
    requirement,
    votes,
    policyTier: outcome.proofTier,
    vote: { ...voterOf(caller), decision: 'approve' },
    now,
  });
  const resolved = verdict.kind === 'already_resolved' || verdict.kind === 'expired';
  if (!resolved && !holdsScope(caller, 'intents:decide', intent.projectId)) return cannot('viewer');
  return fromVerdict(verdict, outcome, intent);
}

function fromVerdict(verdict: Verdict, outcome: PolicyOutcome, intent: Intent): Standing {
  switch (verdict.kind) {
    case 'already_resolved':
    case 'expired':
      return cannot('resolved');
    case 'not_an_approver':
    case 'own_request':
    case 'already_voted':
      return cannot(verdict.kind);
    default:
      if (outcome.effect === 'deny') return cannot('policy_denies');
      return {
        canDecide: true,
        inPlace: isDecidedInPlace({ ...intent, proofTier: tierInForce(intent.proofTier, outcome.proofTier) }),
      };
  }
}

function cannot(whyNot: WhyNot): Standing {
  return { canDecide: false, whyNot };
}

import type { Reviewer } from '../access/caller.ts';
import { holdsScope } from '../access/scopes.ts';
import type { Agent } from '../agents/agent.ts';
import type { Approval } from '../approvals/approval.ts';
import { findMissing } from '../approvals/missing.ts';
import { peopleBehind } from '../approvals/people-behind.ts';
import { countQuorum } from '../approvals/quorum.ts';
import { voterOf } from '../approvals/voter-of.ts';
import { countedApprovals, tierInForce, type Verdict, weighVote } from '../approvals/weigh-vote.ts';
import type { Instant } from '../kernel/instant.ts';
import type { PolicyOutcome } from '../policy/outcome.ts';
import type { ProjectSettings } from '../project-settings/project-settings.ts';
import { askPolicy, votingTermsOf } from './ask-policy.ts';
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

interface PendingIntent {
  intent: Intent;
  agent: Agent | null;
  votes: readonly Approval[];
  deniedLately: DeniedLately | null;
}

/**
 * The quorum and the missing approvals of a pending intent, with the current policy, people and votes. Also whether
 * this caller may approve the intent. Applies the same rules as the decision itself.
 */
export function weighPending(
  caller: Reviewer,
  settings: ProjectSettings,
  { intent, agent, votes, deniedLately }: PendingIntent,
  now: Instant,
) {
  const { outcome, requirement } = askPolicy(settings, intent, agent, now);
  const terms = votingTermsOf(settings, intent, { outcome, requirement });
  const behind = peopleBehind(intent, agent, settings.people);
  const proofTier = tierInForce(intent.proofTier, outcome.proofTier);
  const counted = countedApprovals(votes, proofTier, terms, behind);
  const { received, required } = countQuorum(terms, counted);
  const voter = voterOf(caller);
  // If a person is required, a user token can approve with a device proof. The token's program can ask for that proof.
  const method = caller.kind === 'user' && settings.mode === 'live' ? 'device' : voter.method;
  const verdict = weighVote({
    intent,
    terms,
    behind,
    votes,
    policyTier: outcome.proofTier,
    vote: { ...voter, method, decision: 'approve' },
    now,
  });
  const resolved = verdict.kind === 'already_resolved' || verdict.kind === 'expired';
  const isViewer = !resolved && !holdsScope(caller, 'intents:decide', intent.projectId);
  return {
    outcome,
    requirement,
    terms,
    behind,
    proofTier,
    quorum: { received, required },
    missing: findMissing(terms, counted),
    standing: isViewer ? cannot('viewer') : fromVerdict(verdict, outcome, intent, deniedLately),
  };
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

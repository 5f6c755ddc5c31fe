import { narrowRequirement } from '../approvals/narrow.ts';
import type { VotingTerms } from '../approvals/quorum.ts';
import type { Requirement } from '../approvals/requirement.ts';
import type { Instant } from '../kernel/instant.ts';
import { evaluatePolicy } from '../policy/evaluate.ts';
import type { PolicyOutcome } from '../policy/outcome.ts';
import type { ProjectSettings } from '../project-settings/project-settings.ts';
import type { Intent } from './intent.ts';
import { type PolicyAgent, type PolicySubject, toPolicyRequest } from './policy-request.ts';

interface PolicyAnswer {
  outcome: PolicyOutcome;
  /** The policy's requirement, narrowed by the names in the request, with the current people. */
  requirement: Requirement;
}

/** Evaluates the policy for one intent: when it is created, at each decision, and when its permit is used. */
export function askPolicy(
  { policy, people }: Pick<ProjectSettings, 'policy' | 'people'>,
  intent: PolicySubject,
  agent: PolicyAgent | null,
  now: Instant,
): PolicyAnswer {
  const outcome = evaluatePolicy(policy, toPolicyRequest(intent, agent, now));
  const { requirement } = outcome;
  return {
    outcome,
    requirement: narrowRequirement(requirement, intent.approvers, policy.requesterMayNarrow, people),
  };
}

/**
 * The terms that votes on an intent must meet now: the requirement fixed when the intent was created, and the policy's
 * current one.
 */
export function votingTermsOf(
  { people, mode }: Pick<ProjectSettings, 'people' | 'mode'>,
  intent: Pick<Intent, 'requirement' | 'minApprovals'>,
  now: PolicyAnswer,
): VotingTerms {
  return {
    requirements: [intent.requirement, now.requirement],
    minApprovals: intent.minApprovals,
    people,
    mode,
  };
}

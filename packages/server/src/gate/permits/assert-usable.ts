import { findStandingProblem } from '../access/standing.ts';
import type { Agent } from '../agents/agent.ts';
import { countQuorum } from '../approvals/quorum.ts';
import { tierSuffices } from '../approvals/weigh-vote.ts';
import { askPolicy } from '../intents/ask-policy.ts';
import type { Intent } from '../intents/intent.ts';
import type { Instant } from '../kernel/instant.ts';
import { requirementCovers } from '../policy/stricter.ts';
import type { ProjectSettings } from '../project-settings/project-settings.ts';
import { permitInvalid } from '../tokens/permit-refusal.ts';

/**
 * Checks everything that may forbid the use of an approval after the approval was given, whichever permit carries it.
 * That is revocation, the emergency stop, the agent's status, and the policy, which is evaluated again. Does not check
 * for an earlier use.
 *
 * @throws GateError `permit_invalid`
 */
export function assertUsable(
  intent: Intent,
  settings: ProjectSettings,
  agent: Agent | null,
  now: Instant,
): void {
  if (intent.revokedAt !== null) throw permitInvalid('revoked');
  // The policy cannot be evaluated on erased parameters. Texts are erased only when no permit can be used any longer.
  if (intent.erasedAt !== null) throw permitInvalid(intent.consumedAt === null ? 'expired' : 'already_used');
  const problem = findStandingProblem(settings, agent);
  if (problem) throw permitInvalid(problem);
  if (!satisfiesPolicy(intent, settings, agent, now)) throw permitInvalid('policy_changed');
}

/** Whether the approval is still sufficient for the current policy. */
function satisfiesPolicy(
  intent: Intent,
  settings: ProjectSettings,
  agent: Agent | null,
  now: Instant,
): boolean {
  const { outcome, requirement } = askPolicy(settings, intent, agent, now);
  if (outcome.effect === 'deny') return false;
  if (!tierSuffices(intent.receipt?.proof_tier_achieved ?? 'none', outcome.proofTier)) return false;
  if (outcome.effect === 'allow') return true;
  if (intent.approvals.some(({ method }) => method === 'policy')) return false;
  if (requirementCovers(intent.requirement, requirement)) return true;
  // The policy asks for other people than at creation, but the people who approved may still be enough. A vote keeps
  // its method, so a program's vote counts only if the policy lets programs approve now.
  const { people, mode } = settings;
  const votes = intent.approvals.flatMap(({ by, method }) => {
    const approver = people.memberByEmail(by);
    return approver ? [{ userId: approver.userId, method }] : [];
  });
  const { minApprovals } = intent;
  return countQuorum({ requirements: [requirement], minApprovals, people, mode }, votes).met;
}

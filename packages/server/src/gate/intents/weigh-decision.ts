/**
 * Computes the effect of one vote on an intent. Pure: `decide.ts` reads the input, `write-decision.ts` writes the
 * result.
 */
import type { Caller } from '../access/caller.ts';
import type { Agent } from '../agents/agent.ts';
import type { Approval } from '../approvals/approval.ts';
import { peopleBehind } from '../approvals/people-behind.ts';
import { type Vote, type VoteRefusal, weighVote } from '../approvals/weigh-vote.ts';
import type { ProjectSettings } from '../project-settings/project-settings.ts';
import { askPolicy, votingTermsOf } from './ask-policy.ts';
import type { Intent, Resolution, VoteProgress } from './intent.ts';
import { denialOf, toCounted } from './resolution.ts';

/** The input of one attempt at a decision. */
export interface Deliberation {
  caller: Caller;
  intent: Intent;
  settings: ProjectSettings;
  /** The agent that the intent runs as, if any. */
  agent: Agent | null;
  /** The earlier votes, in order. */
  votes: readonly Approval[];
  /** The vote as the storage would save it. */
  vote: Approval & Vote;
  /** The proof that the person decides, if the decision needed a proof. */
  proofId: string | null;
  reason: string | null;
  inList: boolean;
}

/** What to write, and to sign after an approval; or why nothing is written. */
export type Decision =
  | { kind: 'recorded'; progress: VoteProgress }
  | { kind: 'approved'; approvals: readonly Approval[]; slots: number }
  | { kind: 'denied'; resolution: Resolution }
  /**
   * The policy has changed and now denies the intent. The approval is refused, and the intent is recorded as denied.
   */
  | { kind: 'denied_by_policy'; resolution: Resolution; rule: string | null }
  | { kind: 'refused'; verdict: VoteRefusal };

export function weighDecision({ intent, settings, agent, votes, vote, reason }: Deliberation): Decision {
  const asked = askPolicy(settings, intent, agent, vote.at);
  const { outcome } = asked;
  const verdict = weighVote({
    intent,
    // The votes must meet two requirements: the one fixed when the intent was created, and the policy's current one.
    terms: votingTermsOf(settings, intent, asked),
    behind: peopleBehind(intent, agent, settings.people),
    policyTier: outcome.proofTier,
    votes,
    vote,
    now: vote.at,
  });
  if (verdict.kind === 'denied') {
    return {
      kind: 'denied',
      resolution: { ...denialOf(intent, vote.by, vote.at, reason), deniedBy: vote.userId },
    };
  }
  if (verdict.kind !== 'recorded' && verdict.kind !== 'approved') return { kind: 'refused', verdict };
  if (outcome.effect === 'deny') {
    const by = `policy:${outcome.rule ?? 'default'}`;
    const resolution = denialOf(intent, by, vote.at, outcome.reason);
    return { kind: 'denied_by_policy', resolution, rule: outcome.rule };
  }
  if (verdict.kind === 'approved') {
    return { kind: 'approved', approvals: [...verdict.counted, vote], slots: verdict.slots };
  }
  const { received, required } = verdict.quorum;
  // A person who must give more proof than at their first approval approves again. The new vote replaces the old one.
  const others = votes.filter(({ userId }) => userId !== vote.userId);
  return { kind: 'recorded', progress: { received, required, approvals: toCounted([...others, vote]) } };
}

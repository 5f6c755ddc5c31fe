/**
 * The input of a simulation, its reports, and what it reads. All of it is plain data, because a simulation runs on
 * another thread.
 */
import type { IntentDecision, IntentStatus, JsonObject } from '@permitry/protocol';
import type { Agent } from '../../agents/agent.ts';
import type { PolicySubject } from '../../intents/policy-request.ts';
import type { Instant } from '../../kernel/instant.ts';
import type { PolicyOutcome, PolicyRequest } from '../../policy/outcome.ts';
import type { Effect } from '../comparison/compare-outcomes.ts';
import type { Differences, Said } from '../comparison/difference-tally.ts';

/**
 * Which stored intents of the project are evaluated, newest first. A property that is left out matches everything.
 */
export interface PastIntentFilter {
  /** Created at this moment or later. */
  from?: Instant;
  /** Created before this moment. */
  to?: Instant;
  /** A pattern as in `match.action` of a rule. */
  action?: string;
  status?: IntentStatus | 'resolved';
  /** How many are evaluated at most. */
  limit?: number;
}

export interface SimulationJob {
  projectId: string;
  inForce: JsonObject;
  draft: JsonObject;
  against: { kind: 'given'; requests: readonly PolicyRequest[] } | ({ kind: 'stored' } & PastIntentFilter);
  /** After this time it reports what it has. */
  timeLimitMs: number;
}

export type Side = 'in_force' | 'draft';

/** A condition that could not be evaluated. Its rule counted, unless it allows. */
export interface FailedCondition {
  side: Side;
  rule: string;
  /** Message of the first failure. It never contains a value. */
  message: string;
  count: number;
  samples: readonly string[];
}

/** How an intent ended. `allowed` and `refused`: by policy, at once. The others were sent for review. */
export const FATES = ['allowed', 'approved', 'denied', 'expired', 'pending', 'refused'] as const;
export type Fate = (typeof FATES)[number];

/** Includes the decisions of people, which the policy's own decision does not show. */
export function fateOf(decision: IntentDecision, status: IntentStatus): Fate {
  if (decision === 'auto_approve') return 'allowed';
  return decision === 'auto_deny' ? 'refused' : status;
}

type Became = Readonly<Record<Fate, Outcomes>>;
type Outcomes = Readonly<Record<Effect, number>>;

export interface SimulationResult {
  /** False: the time was over before all intents were read. */
  complete: boolean;
  /** Intents read. Those that match the filter are `evaluated` or `skipped`. */
  scanned: number;
  evaluated: number;
  /** Intents with erased texts, which can no longer be evaluated. */
  skipped: number;
  outcomes: { inForce: Outcomes; draft: Outcomes };
  /** From the active policy to the draft. */
  changes: Differences;
  /** From the outcome at creation to the draft, by effect alone; null for given intents. */
  sinceMade: Differences | null;
  /** What the draft says about stored intents, by how they ended; null for given intents. */
  became: Became | null;
  failures: readonly FailedCondition[];
  seconds: number;
}

export type GivenOutcome = Record<'inForce' | 'draft', PolicyOutcome>;

export type SimulationReport =
  | { kind: 'progress'; scanned: number; total: number; evaluated: number; changed: number }
  /** `given`: the outcomes of given intents, in their order. */
  | { kind: 'finished'; result: SimulationResult; given: readonly GivenOutcome[] | null };

/** A stored intent as policy evaluated it, and the outcome at that time. */
export interface PastIntent {
  id: string;
  createdAt: Instant;
  agentId: string | null;
  /** Set if some of what policy evaluated has been erased. */
  erasedAt: Instant | null;
  made: Said;
  fate: Fate;
  subject: PolicySubject;
}

export const EFFECT_OF: Readonly<Record<IntentDecision, Effect>> = {
  auto_approve: 'allow',
  require_approval: 'require_approval',
  auto_deny: 'deny',
};

export interface SimulationReader {
  countPastIntents(projectId: string, status?: PastIntentFilter['status']): Promise<number>;
  /**
   * Reads some of the project's intents, newest first, from where the previous read ended; `next` is null after the
   * last. Each call is a short read of its own. A single read transaction for the whole walk would keep the
   * write-ahead log from being truncated.
   */
  listPastIntents(
    projectId: string,
    stretch: { status?: PastIntentFilter['status']; after: number | null; length: number },
  ): Promise<{ intents: Iterable<PastIntent>; next: number | null }>;
  findAgent(projectId: string, agentId: string): Promise<Agent | undefined>;
}

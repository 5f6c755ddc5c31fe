/**
 * The input of a simulation, its reports, and the data that it reads. All of these are plain data, because a simulation
 * runs on another thread.
 */
import type { IntentDecision, IntentStatus, JsonObject } from '@permitry/protocol';
import type { Agent } from '../../agents/agent.ts';
import type { PolicySubject } from '../../intents/policy-request.ts';
import type { Instant } from '../../kernel/instant.ts';
import type { PolicyOutcome, PolicyRequest } from '../../policy/outcome.ts';
import type { Effect } from '../comparison/compare-outcomes.ts';
import type { Differences, Said } from '../comparison/difference-tally.ts';

/** Selects the stored intents of the project to evaluate, newest first. An omitted member matches everything. */
export interface PastIntentFilter {
  /** Created at this instant or later. */
  from?: Instant;
  /** Created before this instant. */
  to?: Instant;
  /** A pattern as in `match.action` of a rule. */
  action?: string;
  status?: IntentStatus | 'resolved';
  /** The most intents to evaluate. */
  limit?: number;
}

export interface SimulationJob {
  projectId: string;
  inForce: JsonObject;
  draft: JsonObject;
  against: { kind: 'given'; requests: readonly PolicyRequest[] } | ({ kind: 'stored' } & PastIntentFilter);
  /** The time limit. The simulation then reports what it has. */
  timeLimitMs: number;
}

export type Side = 'in_force' | 'draft';

/** A condition that could not be evaluated. Its rule still counted, unless it allows. */
export interface FailedCondition {
  side: Side;
  rule: string;
  /** Message of the first failure. It never contains a value. */
  message: string;
  count: number;
  samples: readonly string[];
}

/** How an intent ended. `allowed` and `refused`: by the policy, at creation. The others were sent for review. */
export const FATES = ['allowed', 'approved', 'denied', 'expired', 'pending', 'refused'] as const;
export type Fate = (typeof FATES)[number];

/** Counts the decisions of people too, which the policy's own decision does not show. */
export function fateOf(decision: IntentDecision, status: IntentStatus): Fate {
  if (decision === 'auto_approve') return 'allowed';
  return decision === 'auto_deny' ? 'refused' : status;
}

type Became = Readonly<Record<Fate, Outcomes>>;
type Outcomes = Readonly<Record<Effect, number>>;

export interface SimulationResult {
  /** False: the time limit ended the run before all intents were read. */
  complete: boolean;
  /** Intents read. Each one that matches the filter is also `evaluated` or `skipped`. */
  scanned: number;
  evaluated: number;
  /** Intents with erased texts, which can no longer be evaluated. */
  skipped: number;
  outcomes: { inForce: Outcomes; draft: Outcomes };
  /** The change from the active policy to the draft. */
  changes: Differences;
  /** The change from the outcome at creation to the draft, by effect alone. Null for given intents. */
  sinceMade: Differences | null;
  /** The draft's outcomes for stored intents, by how the intents ended. Null for given intents. */
  became: Became | null;
  failures: readonly FailedCondition[];
  seconds: number;
}

export type GivenOutcome = Record<'inForce' | 'draft', PolicyOutcome>;

export type SimulationReport =
  | { kind: 'progress'; scanned: number; total: number; evaluated: number; changed: number }
  /** `given`: the outcomes of given intents, in their order. */
  | { kind: 'finished'; result: SimulationResult; given: readonly GivenOutcome[] | null };

/** A stored intent as the policy evaluated it, and the outcome at that time. */
export interface PastIntent {
  id: string;
  createdAt: Instant;
  agentId: string | null;
  /** Set if some of the members that the policy evaluated were erased. */
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
   * Reads some of the project's intents, newest first, from where the previous read ended. `next` is null after the
   * last. Each call is a short read of its own. A single read transaction for the whole run would prevent the
   * truncation of the write-ahead log.
   */
  listPastIntents(
    projectId: string,
    stretch: { status?: PastIntentFilter['status']; after: number | null; length: number },
  ): Promise<{ intents: Iterable<PastIntent>; next: number | null }>;
  findAgent(projectId: string, agentId: string): Promise<Agent | undefined>;
}

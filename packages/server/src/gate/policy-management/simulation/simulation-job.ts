/**
 * What a simulation is asked, what it reports on its way, and what it reads. Everything here is plain data: a
 * simulation runs apart from the requests, and its question and its answer travel there and back.
 */
import type { IntentDecision, IntentStatus, JsonObject } from '@permitry/protocol';
import type { Agent } from '../../agents/agent.ts';
import type { PolicySubject } from '../../intents/policy-request.ts';
import type { Instant } from '../../kernel/instant.ts';
import type { PolicyOutcome, PolicyRequest } from '../../policy/outcome.ts';
import type { Effect } from '../comparison/compare-outcomes.ts';
import type { Differences, Said } from '../comparison/difference-tally.ts';

/** Which of the project's intents are asked about again; newest first. Each left out matches everything. */
export interface PastIntentFilter {
  /** Made at this moment or later. */
  from?: Instant;
  /** Made before this moment. */
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
  /** After this long it reports what it has so far. */
  timeLimitMs: number;
}

export type Side = 'in_force' | 'draft';

/** A condition that could not be evaluated; it counted for everything but permission. */
export interface FailedCondition {
  side: Side;
  rule: string;
  /** Of the first failure. It never holds a value. */
  message: string;
  count: number;
  samples: readonly string[];
}

/** What became of an intent. `allowed` and `refused`: by policy, at once; the others were asked about. */
export const FATES = ['allowed', 'approved', 'denied', 'expired', 'pending', 'refused'] as const;
export type Fate = (typeof FATES)[number];

/** Tells what people did with what they were asked about, which the decision of policy alone does not. */
export function fateOf(decision: IntentDecision, status: IntentStatus): Fate {
  if (decision === 'auto_approve') return 'allowed';
  return decision === 'auto_deny' ? 'refused' : status;
}

type Became = Readonly<Record<Fate, Outcomes>>;
type Outcomes = Readonly<Record<Effect, number>>;

export interface SimulationResult {
  /** False: the time was over before everything was looked at. */
  complete: boolean;
  /** Intents looked at; those the filter let through are `evaluated` or `skipped`. */
  scanned: number;
  evaluated: number;
  /** They lost texts, so nobody knows any more what policy would be asked. */
  skipped: number;
  outcomes: { inForce: Outcomes; draft: Outcomes };
  /** From the policy in force now to the draft. */
  changes: Differences;
  /** From what was said when the intent was made to the draft, by effect alone; null for given intents. */
  sinceMade: Differences | null;
  /** By what became of them, what the draft says of stored intents; null for given intents. */
  became: Became | null;
  failures: readonly FailedCondition[];
  seconds: number;
}

export type GivenOutcome = Record<'inForce' | 'draft', PolicyOutcome>;

export type SimulationReport =
  | { kind: 'progress'; scanned: number; total: number; evaluated: number; changed: number }
  /** `given`: the outcomes of given intents, in their order. */
  | { kind: 'finished'; result: SimulationResult; given: readonly GivenOutcome[] | null };

/** A stored intent as policy was asked about it, and what was said then. */
export interface PastIntent {
  id: string;
  createdAt: Instant;
  agentId: string | null;
  /** Set: what policy was asked about is not all there any more. */
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
   * A stretch of the project's intents, newest first, after the place the stretch before ended at; `next` is null
   * after the last. Each is a short read of its own: one that held on to its view of the database for the whole
   * walk would keep the write-ahead log from being cleared.
   */
  listPastIntents(
    projectId: string,
    stretch: { status?: PastIntentFilter['status']; after: number | null; length: number },
  ): Promise<{ intents: Iterable<PastIntent>; next: number | null }>;
  findAgent(projectId: string, agentId: string): Promise<Agent | undefined>;
}

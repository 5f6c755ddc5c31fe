/**
 * Owns the overview of a project: how many intents, how long people take, which intents expire soon. Figures are exact
 * where an index counts. Figures that need each intent come from the newest ones only. So the cost is bounded, however
 * many intents there are.
 */
import type { IntentDecision, IntentStatus, RiskTier } from '@permitry/protocol';
import type { CountedApproval, Requester } from '../intents/intent.ts';
import type { Instant } from '../kernel/instant.ts';

/** The parts of an intent that an overview reads. */
export interface OverviewIntent {
  status: IntentStatus;
  decision: IntentDecision;
  rule: string | null;
  requester: Pick<Requester, 'type' | 'id' | 'display'>;
  /** The agent that the intent runs as, and the name that the request gave it. */
  agentId: string | null;
  source: string | null;
  createdAt: Instant;
  resolvedAt: Instant | null;
  resolvedBy: string | null;
  approvals: readonly CountedApproval[];
}

/** A pending intent that will expire. */
export interface ExpiringIntent {
  id: string;
  action: string;
  riskTier: RiskTier;
  expiresAt: Instant;
  approvalsReceived: number;
  approvalsRequired: number;
}

/** The position of an intent in the order of creation in the gate. Meaningless outside the storage. */
type Position = number;

export interface OverviewReader {
  /**
   * Position of the first intent of the gate whose id sorts at or after this one. If there is none, the position after
   * the last intent.
   */
  findIntentPosition(fromId: string): Promise<Position>;
  /** Counts the intents from position `from` on, before `before`. */
  countIntents(projectId: string, status: IntentStatus, from: Position, before: Position): Promise<number>;
  /**
   * Intents of this stretch with any status, newest first. Pass `next` as `before` to continue. Null: these were the
   * last.
   */
  listOverviewIntents(
    projectId: string,
    stretch: { from: Position; before: Position; length: number },
  ): Promise<{ intents: readonly OverviewIntent[]; next: Position | null }>;
  /**
   * Examines the next `length` pending intents of the whole gate, soonest expiry first, and returns those of the
   * project. Pass `next` as `after` to continue. Null: there are no more.
   */
  listExpiringIntents(
    projectId: string,
    stretch: { after: { expiresAt: Instant; position: Position }; length: number },
  ): Promise<{ intents: readonly ExpiringIntent[]; next: { expiresAt: Instant; position: Position } | null }>;
}

export interface DayCounts extends Record<IntentStatus, number> {
  /** `2026-11-20`, in UTC. */
  day: string;
}

/** The results of a set of intents. */
export interface Tally {
  intents: number;
  /** Decided by the policy when the requests were created. */
  autoApproved: number;
  autoDenied: number;
  /** The number sent for review, and how their reviews ended. The rest of `asked` is pending. */
  asked: number;
  approved: number;
  denied: number;
  expired: number;
}

/** The largest of many groups. */
export interface Largest<T> {
  top: readonly T[];
  /** The number of further groups. */
  others: number;
}

export interface Overview {
  projectId: string;
  /** The period: whole days in UTC. The last day ends now. */
  from: Instant;
  computedAt: Instant;
  /** All requests pending review now, whenever they were sent. */
  pending: number;
  /** Every day of the period, oldest first. */
  days: readonly DayCounts[];
  /**
   * The sample behind the remaining figures: the newest intents of the period, or all of them if there are not too
   * many.
   */
  sample: { intents: number; since: Instant | null; complete: boolean };
  totals: Tally;
  /** Seconds from the request to the last decision, for requests that people decided. Null when people decided none. */
  timeToDecision: { decided: number; medianSeconds: number | null; p95Seconds: number | null };
  /** Rule null: no rule matched. */
  byRule: Largest<Tally & { rule: string | null }>;
  /** Votes of people, without votes that do not count. */
  byPerson: Largest<{ person: string; approvals: number; denials: number }>;
  byRequester: Largest<Tally & { type: 'agent' | 'key'; id: string; display: string }>;
  /** Soonest expiry first. `complete` is false when the search stopped after too many intents of other projects. */
  expiring: { intents: readonly ExpiringIntent[]; complete: boolean };
}

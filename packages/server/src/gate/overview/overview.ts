/**
 * Owns the overview of a project: how many intents, how long people take, what expires soon. Exact where an index
 * counts, and from the newest intents where each must be read. The cost is bounded, however many there are.
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
  /** The agent it runs as, and its name there. */
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
   * Position of the first intent of the gate whose id sorts at or after this one. Behind the last when there is none.
   */
  findIntentPosition(fromId: string): Promise<Position>;
  /** From `from` on, before `before`. */
  countIntents(projectId: string, status: IntentStatus, from: Position, before: Position): Promise<number>;
  /**
   * The same intents with every status, newest first. Pass `next` as `before` to continue; null: these were the last.
   */
  listOverviewIntents(
    projectId: string,
    stretch: { from: Position; before: Position; length: number },
  ): Promise<{ intents: readonly OverviewIntent[]; next: Position | null }>;
  /**
   * Examines the next `length` pending intents of the whole gate, soonest expiry first, and returns those of the
   * project. Pass `next` as `after` to continue; null: there are no more.
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
  /** Decided by policy when they were created. */
  autoApproved: number;
  autoDenied: number;
  /** Sent for review, and how these ended. The difference to `asked` is pending. */
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
  /** The period: whole days in UTC, the last one up to now. */
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
  /** Seconds from the request to the last decision, for requests that people decided. Null when there was none. */
  timeToDecision: { decided: number; medianSeconds: number | null; p95Seconds: number | null };
  /** Rule null: no rule matched. */
  byRule: Largest<Tally & { rule: string | null }>;
  /** Votes of people that count. */
  byPerson: Largest<{ person: string; approvals: number; denials: number }>;
  byRequester: Largest<Tally & { type: 'agent' | 'key'; id: string; display: string }>;
  /** Soonest first. `complete` is false when too many others had to be skipped to find more. */
  expiring: { intents: readonly ExpiringIntent[]; complete: boolean };
}

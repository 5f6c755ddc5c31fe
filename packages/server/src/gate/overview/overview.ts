/**
 * Owns what a project looks like from afar: how many intents, how long people take, what is due soon. Exact where an
 * index counts, of the newest intents where each has to be looked at; its cost is bounded however many there are.
 */
import type { IntentDecision, IntentStatus, RiskTier } from '@permitry/protocol';
import type { CountedApproval, Requester } from '../intents/intent.ts';
import type { Instant } from '../kernel/instant.ts';

/** What an overview looks at of one intent. */
export interface OverviewIntent {
  status: IntentStatus;
  decision: IntentDecision;
  rule: string | null;
  requester: Pick<Requester, 'type' | 'id' | 'display'>;
  /** The agent it runs as, and what it was called there. */
  agentId: string | null;
  source: string | null;
  createdAt: Instant;
  resolvedAt: Instant | null;
  resolvedBy: string | null;
  approvals: readonly CountedApproval[];
}

/** A pending intent on its way to its end. */
export interface ExpiringIntent {
  id: string;
  action: string;
  riskTier: RiskTier;
  expiresAt: Instant;
  approvalsReceived: number;
  approvalsRequired: number;
}

/** Where an intent stands in the order in which the gate's intents were made; means nothing outside storage. */
type Position = number;

export interface OverviewReader {
  /** Place of the first intent of the gate whose id sorts at or after this one; behind the last when there is none. */
  findIntentPosition(fromId: string): Promise<Position>;
  /** From `from` on, before `before`. */
  countIntents(projectId: string, status: IntentStatus, from: Position, before: Position): Promise<number>;
  /** The same intents of every status, newest first; `next` goes on as `before`, null: these were the last. */
  listOverviewIntents(
    projectId: string,
    stretch: { from: Position; before: Position; length: number },
  ): Promise<{ intents: readonly OverviewIntent[]; next: Position | null }>;
  /**
   * Looks at the next `length` pending intents of the whole gate, soonest end first, and gives those of the project;
   * `next` goes on as `after`, null: there are no more.
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

/** What became of a set of intents. */
export interface Tally {
  intents: number;
  /** Decided by policy when they were made. */
  autoApproved: number;
  autoDenied: number;
  /** Put before people; of these, how they ended. What is missing to `asked` is pending. */
  asked: number;
  approved: number;
  denied: number;
  expired: number;
}

/** The largest of many groups. */
export interface Largest<T> {
  top: readonly T[];
  /** How many groups there are beside them. */
  others: number;
}

export interface Overview {
  projectId: string;
  /** The period: whole days in UTC, the last one up to now. */
  from: Instant;
  computedAt: Instant;
  /** All that wait for people now, whenever they were made. */
  pending: number;
  /** Oldest first, every day of the period. */
  days: readonly DayCounts[];
  /** What the rest rests on: the newest intents of the period, all of them when there are not too many. */
  sample: { intents: number; since: Instant | null; complete: boolean };
  totals: Tally;
  /** Of what people decided: from the request to the last decision, in seconds; null when there was none. */
  timeToDecision: { decided: number; medianSeconds: number | null; p95Seconds: number | null };
  /** Rule null: no rule spoke. */
  byRule: Largest<Tally & { rule: string | null }>;
  /** Votes that stand, of people. */
  byPerson: Largest<{ person: string; approvals: number; denials: number }>;
  byRequester: Largest<Tally & { type: 'agent' | 'key'; id: string; display: string }>;
  /** Soonest first; `complete` is false when too many others had to be passed by to find more. */
  expiring: { intents: readonly ExpiringIntent[]; complete: boolean };
}

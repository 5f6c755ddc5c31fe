/** Owns how people see requests: those that wait for a decision, and the results of all others. */
import type { InboxOrder, IntentStatus, ProjectMode, RiskTier } from '@permitry/protocol';
import type { Excerpt } from '@permitry/protocol/list-row';
import type { AgentStatus } from '../access/agent-identity.ts';
import type { MissingApprovals } from '../approvals/missing.ts';
import type { DeniedLately } from '../intents/denied-lately.ts';
import type { CountedApproval, Intent } from '../intents/intent.ts';
import type { OwnPage } from '../intents/own-page.ts';
import type { Standing } from '../intents/standing.ts';
import type { Instant } from '../kernel/instant.ts';

/** An intent as one line of a list for people. */
export interface InboxItem {
  intent: Intent;
  projectName: string;
  mode: ProjectMode;
  /** The parameters on one line, with the agent's own characters. */
  params: Excerpt;
  /** The requester's explanation, which nobody checked. */
  words: Excerpt | null;
  approvals: { received: number; required: number };
  /** The approvals still needed. Empty once it is resolved. */
  missing: readonly MissingApprovals[];
  standing: Standing;
  /** Why it must be approved on its own page because of its content or action. Null: no such reason. */
  ownPage: OwnPage | null;
  /** While pending: who denied an equal request lately. It must then be approved on its own page. */
  deniedLately: DeniedLately | null;
  /** While pending: the policy has changed since the request was sent. */
  policyChanged: boolean;
  isStopped: boolean;
  /** Only for a pending request that a registered agent sent. */
  agentStatus: AgentStatus | null;
}

/** A request must match all filters. An omitted one matches everything. */
export interface BrowseFilters {
  projectId?: string;
  /** Exactly this action, or with a trailing `*` every action that begins so. */
  action?: string;
  riskTier?: RiskTier;
  /** Name of the source or of the requester, ignoring case. */
  source?: string;
  /** Text to find in the action, the source, the requester's name, the id or the parameters, ignoring case. */
  q?: string;
}

/** The columns of an intent that filters use, read from the front of its row, without its long texts. */
export interface IntentBrief {
  id: string;
  projectId: string;
  status: IntentStatus;
  action: string;
  source: string | null;
  riskTier: RiskTier;
  requesterDisplay: string;
  createdAt: Instant;
  expiresAt: Instant;
  resolvedBy: string | null;
  approvals: readonly CountedApproval[];
  /** Length of the stored parameters. A search reads as many as its budget allows. */
  paramsBytes: number;
}

/** Pending requests in one of the orders other than by age. */
export interface UrgentFilter {
  projectIds: readonly string[];
  order: Exclude<InboxOrder, 'newest'>;
  /** The id of the last one already seen, pending or not. */
  afterId?: string;
  limit: number;
}

export interface BriefFilter {
  projectIds: readonly string[];
  status: IntentStatus | 'resolved';
  /** The id of the last one already seen, newest first. */
  beforeId?: string;
  /** Sent at this instant or later. */
  from?: Instant;
  /** Sent before this instant. */
  to?: Instant;
  limit: number;
}

export interface InboxReader {
  /** Newest first. Fewer than `limit` only at the end. */
  listIntentBriefs(filter: BriefFilter): Promise<readonly IntentBrief[]>;
  /** Fewer than `limit` only at the end. */
  listUrgentBriefs(filter: UrgentFilter): Promise<readonly IntentBrief[]>;
  /** The stored parameters of these intents, by id. */
  readParams(intentIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** How many are pending in these projects. Counting stops at `most`. */
  countInbox(projectIds: readonly string[], most: number): Promise<number>;
}

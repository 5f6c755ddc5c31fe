/** Owns how people see requests: pending ones, and the results of all others. */
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
  /** The parameters on one line, in the characters that the requester sent. */
  params: Excerpt;
  /** The requester's explanation (unverified). */
  words: Excerpt | null;
  approvals: { received: number; required: number };
  /** The approvals still needed. Empty once the request is resolved. */
  missing: readonly MissingApprovals[];
  standing: Standing;
  /** Why its content or its action requires approval on its own page. Null: they do not. */
  ownPage: OwnPage | null;
  /**
   * While pending: who denied an equal request lately. If anyone did, this request must be approved on its own page.
   */
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
  /** This action exactly. With a trailing `*`: every action with this beginning. */
  action?: string;
  riskTier?: RiskTier;
  /** Name of the source or of the requester, ignoring case. */
  source?: string;
  /** Text to find in the action, the source, the requester's name, the id or the parameters, ignoring case. */
  q?: string;
}

/** The columns of an intent that filters use. They come first in the row, so reading them skips the long texts. */
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
  /** Length of the stored parameters. A search reads only as many parameters as its budget allows. */
  paramsBytes: number;
}

/** Pending requests, ordered by anything but age. */
export interface UrgentFilter {
  projectIds: readonly string[];
  order: Exclude<InboxOrder, 'newest'>;
  /** The id of the last request already seen, whether it is still pending or not. */
  afterId?: string;
  limit: number;
}

export interface BriefFilter {
  projectIds: readonly string[];
  status: IntentStatus | 'resolved';
  /** The id of the last request already seen, newest first. */
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
  /** The number of pending requests in these projects. Counting stops at `most`. */
  countInbox(projectIds: readonly string[], most: number): Promise<number>;
}

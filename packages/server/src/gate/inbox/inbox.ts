/** Owns what a person sees of requests: those that wait for a decision, and what became of all others. */
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
  /** The parameters on one line, in the agent's own choice of characters. */
  params: Excerpt;
  /** What the requester says about it. Nobody checked it. */
  words: Excerpt | null;
  approvals: { received: number; required: number };
  /** What is still missing until it is approved; empty once it is resolved. */
  missing: readonly MissingApprovals[];
  standing: Standing;
  /** Why the content, or the action, is approved on the request's own page only; null: no such reason. */
  ownPage: OwnPage | null;
  /** Of one that waits: who denied an equal request lately. Then it is approved on its own page alone. */
  deniedLately: DeniedLately | null;
  /** Of one that waits: the policy is another than when it was asked for. */
  policyChanged: boolean;
  isStopped: boolean;
  /** Of one that waits, and that a registered agent asked for. */
  agentStatus: AgentStatus | null;
}

/** Filters add up; each left out matches everything. */
export interface BrowseFilters {
  projectId?: string;
  /** Exactly this action, or with `*` at its end every one that begins so. */
  action?: string;
  riskTier?: RiskTier;
  /** Name of the source or of the requester, in any case. */
  source?: string;
  /** Text to find in the action, the source, the requester's name, the id or the parameters, in any case. */
  q?: string;
}

/** Of an intent, what filters look at: read from the front of its row, without its long texts. */
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
  /** Length of the parameters as they are stored: a search reads as many as its budget allows. */
  paramsBytes: number;
}

/** Pending requests in one of the orders that are not by age. */
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
  /** The id of the last one already seen; newest first. */
  beforeId?: string;
  /** Asked for from here on. */
  from?: Instant;
  /** Asked for before. */
  to?: Instant;
  limit: number;
}

export interface InboxReader {
  /** Newest first, fewer than `limit` only at the end. */
  listIntentBriefs(filter: BriefFilter): Promise<readonly IntentBrief[]>;
  /** Fewer than `limit` only at the end. */
  listUrgentBriefs(filter: UrgentFilter): Promise<readonly IntentBrief[]>;
  /** The parameters of these intents as they are stored, by id. */
  readParams(intentIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  /** How many wait in these projects; counting stops at `most`. */
  countInbox(projectIds: readonly string[], most: number): Promise<number>;
}

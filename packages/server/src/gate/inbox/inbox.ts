/** Owns what a person sees of requests: those that wait for a decision, and what became of all others. */
import type { IntentStatus, ProjectMode, RiskTier } from '@permitry/protocol';
import type { MissingApprovals } from '../approvals/missing.ts';
import type { Instant } from '../instant.ts';
import type { CountedApproval, Intent } from '../intents/intent.ts';
import type { Excerpt } from './excerpt.ts';
import type { Standing } from './standing.ts';

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
}

/** Filters add up; each left out matches everything. */
export interface BrowseFilters {
  projectId?: string;
  /** Exactly this action, or with `*` at its end every one that begins so. */
  action?: string;
  riskTier?: RiskTier;
  /** Name of the source or of the requester, in any case. */
  source?: string;
  /** Stands in the action, the source, the requester's name or the id, in any case. */
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
  /** How many wait in these projects; counting stops at `most`. */
  countInbox(projectIds: readonly string[], most: number): Promise<number>;
}

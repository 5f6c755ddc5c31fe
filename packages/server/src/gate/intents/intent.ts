import type {
  ApprovalMethod,
  IntentDecision,
  IntentStatus,
  JsonObject,
  Outcome,
  ProofTier,
  ReceiptContent,
  RiskTier,
  SourceType,
} from '@permitry/protocol';
import type { Requirement } from '../approvals/requirement.ts';
import type { Instant } from '../kernel/instant.ts';
import type { IssuedPermit } from '../tokens/issue-permit.ts';

/**
 * The sender of the request. `agent`: an agent's own key. `key`: a secret key. `ownerId` is the person who answers for
 * the sender: the owner of the agent or of the key. Null for an agent without an owner.
 */
export interface Requester {
  type: 'agent' | 'key';
  /** `agt_…` or `key_…`. */
  id: string;
  display: string;
  ownerId: string | null;
}

/** One approval that counted, as in answers and in the permit. */
export interface CountedApproval {
  /** Email address, or `policy:<rule>`. */
  by: string;
  at: Instant;
  method: ApprovalMethod;
}

/**
 * An approver asked the requester for more time. The requester must resubmit, because the hash covers the expiry of the
 * original request.
 */
export interface ExtensionRequest {
  /** Email address. */
  by: string;
  at: Instant;
  comment: string | null;
}

/** A declared action and its outcome. */
export interface Intent {
  id: string;
  projectId: string;
  action: string;
  params: JsonObject;
  paramsHash: string;
  intentHash: string;
  metadata: JsonObject;
  source: string | null;
  sourceType: SourceType;
  /** The effective tier: the highest of the request's tier, the agent's default and the policy's tier. */
  riskTier: RiskTier;
  /** The effective tier. */
  proofTier: ProofTier;
  requester: Requester;
  /**
   * The registered agent that the intent runs as: the requester itself, or an agent that a secret key named as
   * `source`.
   */
  agentId: string | null;
  /** The tiers as the policy saw them: those of the request, raised to the agent's default. */
  requestedRiskTier: RiskTier;
  requestedProofTier: ProofTier;
  /** Whether the requester, its agent or a policy rule rated the risk. Otherwise `low` means nothing. */
  riskRated: boolean;
  /** The names in the request. `requirement` already includes them. */
  approvers: readonly string[];
  minApprovals: number | null;
  decision: IntentDecision;
  /** The policy rule that decided or required approval, if one did. */
  rule: string | null;
  /** Fixed when the intent was created. */
  requirement: Requirement;
  policyHash: string;
  permitTtlSeconds: number;
  createdAt: Instant;
  expiresAt: Instant;
  /**
   * The intent that this one resubmits: it expired, its approval can no longer be used, or this one replaced it while
   * it was pending.
   */
  askedAgainFrom: string | null;
  /** The person who resubmitted the intent for the requester. In live mode this person can never approve it. */
  askedBy: string | null;

  status: IntentStatus;
  /** Filled slots and all slots. Both are 0 when nobody needs to approve. */
  approvalsReceived: number;
  approvalsRequired: number;
  /** Grows by one with every recorded vote and transition, and guards each update. */
  revision: number;
  resolvedAt: Instant | null;
  /** Email address, `policy:<rule>`, the requester's id (withdrawn), or null (expired). */
  resolvedBy: string | null;
  reason: string | null;
  approvedBy: string | null;
  approvedAt: Instant | null;
  /** The approvals so far. Once the intent is approved, the approvals that counted. */
  approvals: readonly CountedApproval[];
  extensionRequest: ExtensionRequest | null;
  /** The latest permit issued for the intent. */
  permit: IssuedPermit | null;
  receipt: ReceiptContent | null;
  /** Index of the receipt in the status list that `receipt.jws` refers to. Unique within the gate. */
  receiptIndex: number | null;
  consumedAt: Instant | null;
  /** The credential that consumed the permit, or the connector request (`crq_…`) that the gate runs itself. */
  consumedBy: string | null;
  revokedAt: Instant | null;
  outcome: Outcome | null;
  outcomeAt: Instant | null;
  /** When the intent's texts were last erased. After an erasure, no operation accepts the intent. */
  erasedAt: Instant | null;
}

/** The members that a resolution sets. */
export interface Resolution {
  status: 'approved' | 'denied';
  at: Instant;
  by: string;
  reason: string | null;
  approvals: readonly CountedApproval[];
  approvalsReceived: number;
  approvalsRequired: number;
  /** Present when approved: an approved intent always has permit and receipt. */
  issued: { permit: IssuedPermit; receipt: ReceiptContent; receiptIndex: number } | null;
  /** Id of the person who denied the intent. Null also when the policy denied it or the requester withdrew it. */
  deniedBy: string | null;
}

/** The members that a vote sets when the intent stays pending. */
export interface VoteProgress {
  received: number;
  required: number;
  approvals: readonly CountedApproval[];
}

export interface IntentFilter {
  /** Projects to search. Empty: finds nothing. */
  projectIds: readonly string[];
  /** Only intents that run as this agent. */
  agentId?: string;
  status?: IntentStatus | 'resolved';
  /** The id of the last intent already seen, newest first. */
  beforeId?: string;
  limit: number;
}

/** The columns of an intent that lists show and that its expiry needs. */
export const LISTED = [
  'id',
  'projectId',
  'status',
  'revision',
  'decision',
  'action',
  'params',
  'paramsHash',
  'source',
  'sourceType',
  'riskTier',
  'proofTier',
  'approvers',
  'approvalsRequired',
  'approvalsReceived',
  'approvals',
  'outcome',
  'createdAt',
  'expiresAt',
  'resolvedAt',
  'resolvedBy',
  'reason',
  'erasedAt',
  'askedAgainFrom',
  'extensionRequest',
] as const;
export type ListedIntent = Pick<Intent, (typeof LISTED)[number]>;

/** The members that are the same in equal requests. */
export type Equal = Pick<Intent, 'projectId' | 'action' | 'paramsHash'>;

/** The members that writing the expiry of an intent needs. */
export type DueIntent = Pick<Intent, 'id' | 'projectId' | 'expiresAt'>;

export interface IntentReader {
  findIntent(intentId: string): Promise<Intent | undefined>;
  listIntents(filter: IntentFilter): Promise<readonly ListedIntent[]>;
  /** Like `listIntents`, with complete intents. */
  listWholeIntents(filter: IntentFilter): Promise<readonly Intent[]>;
  /** Pending intents past their expiry, oldest expiry first. */
  listDueIntents(now: Instant, limit: number): Promise<readonly DueIntent[]>;
  /** Which of the given intents are no longer pending. */
  listResolved(intentIds: readonly string[]): Promise<readonly string[]>;
  /** When the next pending intent expires. */
  findNextExpiry(): Promise<Instant | undefined>;
  findPermit(intentId: string, permitId: string): Promise<IssuedPermit | undefined>;
  /** The intent that resubmitted this one. */
  findAskedAgain(intentId: string): Promise<string | undefined>;
  /** Whether people have ever approved the action in the project. */
  hasApproved(projectId: string, action: string): Promise<boolean>;
  /** The newest intent of the action that people approved. With `beforeId`: the newest before that one. */
  findLastApproved(projectId: string, action: string, beforeId?: string): Promise<Intent | undefined>;
  /** The newest intent with the same action and parameters that people approved since then. */
  findLastApprovedEqual(equal: Equal, since: Instant): Promise<Intent | undefined>;
  /** The newest intent with the same action and parameters that a person denied since then. */
  findLastDenied(equal: Equal, since: Instant): Promise<Intent | undefined>;
}

/** Each transition is one guarded statement. Its result is whether this caller made the transition. */
export interface IntentWriter {
  /** Also inserts the permit row when the intent is approved at creation. */
  insertIntent(intent: Intent): Promise<void>;
  /**
   * Takes a lock. Until this transaction ends, every other transaction that takes the lock for an equal request waits.
   */
  lockEqual(equal: Equal): Promise<void>;
  /** Writes a vote that leaves the intent pending. Guard: pending, this revision, not expired. */
  touchIntent(intentId: string, revision: number, now: Instant, progress: VoteProgress): Promise<boolean>;
  /** Guard: pending, this revision, not expired. Inserts the permit row when approved. */
  resolveIntent(intentId: string, revision: number, resolution: Resolution): Promise<boolean>;
  /** Guard: pending, not expired, no approver has asked before. */
  requestExtension(intentId: string, request: ExtensionRequest): Promise<boolean>;
  /**
   * Pending intents past their expiry, oldest first, for this transaction to expire. May skip intents that another gate
   * works on, even all of them.
   */
  claimDueIntents(now: Instant, limit: number): Promise<readonly DueIntent[]>;
  /** Guard: pending, past its expiry. */
  expireIntent(intentId: string, now: Instant): Promise<boolean>;
  /** Stores a fresh permit. Guard: approved, not consumed, not revoked, not expired. */
  replacePermit(intentId: string, revision: number, permit: IssuedPermit): Promise<boolean>;
  /** Guard: approved, not consumed, not revoked. */
  consumeIntent(intentId: string, by: string, now: Instant): Promise<boolean>;
  /**
   * Undoes a use that had no effect. Guard: consumed by this connector request, revision unchanged since that use, no
   * outcome, not revoked, not erased.
   */
  releaseIntent(intentId: string, by: string, revision: number): Promise<boolean>;
  /** Guard: approved, not revoked. */
  revokeIntent(intentId: string, now: Instant): Promise<boolean>;
  /** Guard: consumed by this credential or connector request, no outcome yet. */
  reportOutcome(intentId: string, by: string, outcome: Outcome, now: Instant): Promise<boolean>;
}

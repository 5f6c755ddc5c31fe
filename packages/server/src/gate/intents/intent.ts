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
 * Whose request it is. `agent`: an agent's own key; `key`: a secret key, whose owner answers for it.
 * `ownerId` is the person who answers for it: the agent's owner, or the key's; null for an agent without one.
 */
export interface Requester {
  type: 'agent' | 'key';
  /** `agt_…` or `key_…`. */
  id: string;
  display: string;
  ownerId: string | null;
}

/** One approval that counted, as it stands in answers and in the permit. */
export interface CountedApproval {
  /** E-mail address, or `policy:<rule>`. */
  by: string;
  at: Instant;
  method: ApprovalMethod;
}

/** An approver asked the requester for more time: by asking again, since what was asked is under a hash. */
export interface ExtensionRequest {
  /** E-mail address. */
  by: string;
  at: Instant;
  comment: string | null;
}

/** A declared action and what became of it. */
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
  /** The tier in force: the highest of asked for, the agent's default, set by policy. */
  riskTier: RiskTier;
  /** The tier in force. */
  proofTier: ProofTier;
  requester: Requester;
  /** The registered agent it runs as: the requester itself, or one a secret key named as `source`. */
  agentId: string | null;
  /** The tiers as policy was asked about them: asked for, raised to the agent's default. */
  requestedRiskTier: RiskTier;
  requestedProofTier: ProofTier;
  /** Whether the requester, its agent or a policy rule rated the risk: otherwise `low` says nothing. */
  riskRated: boolean;
  /** As the request named them; their requirement is part of `requirement`. */
  approvers: readonly string[];
  minApprovals: number | null;
  decision: IntentDecision;
  /** The policy rule that decided or asked for approval, if one did. */
  rule: string | null;
  /** Fixed when the intent was made. */
  requirement: Requirement;
  policyHash: string;
  permitTtlSeconds: number;
  createdAt: Instant;
  expiresAt: Instant;
  /** The intent it repeats, which had expired or was given up for this one. */
  askedAgainFrom: string | null;
  /** The person who asked for it again, in the requester's place; in live mode they never approve it. */
  askedBy: string | null;

  status: IntentStatus;
  /** Places filled and places there are; both 0 when nobody needs to approve. */
  approvalsReceived: number;
  approvalsRequired: number;
  /** Grows by one with every recorded vote and transition; guards each update. */
  revision: number;
  resolvedAt: Instant | null;
  /** E-mail address, `policy:<rule>`, the requester's id (withdrawn), or null (expired). */
  resolvedBy: string | null;
  reason: string | null;
  approvedBy: string | null;
  approvedAt: Instant | null;
  /** Those given so far; once it is approved, those that counted. */
  approvals: readonly CountedApproval[];
  extensionRequest: ExtensionRequest | null;
  /** The latest permit issued for it. */
  permit: IssuedPermit | null;
  receipt: ReceiptContent | null;
  /** Its place in the status list that `receipt.jws` refers to; unique in the gate. */
  receiptIndex: number | null;
  consumedAt: Instant | null;
  /** Credential that consumed, or the connector request (`crq_…`) that the gate runs itself. */
  consumedBy: string | null;
  revokedAt: Instant | null;
  outcome: Outcome | null;
  outcomeAt: Instant | null;
  /** When texts of it were last erased: then nothing can be done with it any more. */
  erasedAt: Instant | null;
}

/** The members a resolution sets. */
export interface Resolution {
  status: 'approved' | 'denied';
  at: Instant;
  by: string;
  reason: string | null;
  approvals: readonly CountedApproval[];
  approvalsReceived: number;
  approvalsRequired: number;
  /** Present when approved: an approved intent always has both. */
  issued: { permit: IssuedPermit; receipt: ReceiptContent; receiptIndex: number } | null;
  /** Id of the person who denied it; null also where policy did, or the requester withdrew it. */
  deniedBy: string | null;
}

/** What a vote that leaves the intent pending sets. */
export interface VoteProgress {
  received: number;
  required: number;
  approvals: readonly CountedApproval[];
}

export interface IntentFilter {
  /** Projects to look in; none: nothing is found. */
  projectIds: readonly string[];
  /** Only those that run as this agent. */
  agentId?: string;
  status?: IntentStatus | 'resolved';
  /** The id of the last intent already seen; newest first. */
  beforeId?: string;
  limit: number;
}

/** Of an intent, what lists show and what its expiry takes. */
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

/** What equal requests have in common. */
export type Equal = Pick<Intent, 'projectId' | 'action' | 'paramsHash'>;

/** Of an intent past its time, what writing its expiry takes. */
export type DueIntent = Pick<Intent, 'id' | 'projectId' | 'expiresAt'>;

export interface IntentReader {
  findIntent(intentId: string): Promise<Intent | undefined>;
  listIntents(filter: IntentFilter): Promise<readonly ListedIntent[]>;
  /** The same, each whole. */
  listWholeIntents(filter: IntentFilter): Promise<readonly Intent[]>;
  /** Pending intents whose time has passed, oldest expiry first. */
  listDueIntents(now: Instant, limit: number): Promise<readonly DueIntent[]>;
  /** Of these, the ones that are pending no more. */
  listResolved(intentIds: readonly string[]): Promise<readonly string[]>;
  /** When the next pending intent expires. */
  findNextExpiry(): Promise<Instant | undefined>;
  findPermit(intentId: string, permitId: string): Promise<IssuedPermit | undefined>;
  /** The intent in which this one was asked for again. */
  findAskedAgain(intentId: string): Promise<string | undefined>;
  /** Whether people have approved the action in the project. */
  hasApproved(projectId: string, action: string): Promise<boolean>;
  /** The newest of the action that people approved and that was asked for before this one, or at all. */
  findLastApproved(projectId: string, action: string, beforeId?: string): Promise<Intent | undefined>;
  /** The newest that people approved since then, of the same action and parameters. */
  findLastApprovedEqual(equal: Equal, since: Instant): Promise<Intent | undefined>;
  /** The newest that a person denied since then, of the same action and parameters. */
  findLastDenied(equal: Equal, since: Instant): Promise<Intent | undefined>;
}

/** Each transition is one guarded statement; it answers whether this caller made it. */
export interface IntentWriter {
  /** With its permit row when it is born approved. */
  insertIntent(intent: Intent): Promise<void>;
  /** Until this transaction ends, another one that asks for the lock of an equal request waits. */
  lockEqual(equal: Equal): Promise<void>;
  /** A vote that leaves the intent pending. Guard: pending, this revision, not past its time. */
  touchIntent(intentId: string, revision: number, now: Instant, progress: VoteProgress): Promise<boolean>;
  /** Guard: pending, this revision, not past its time. Inserts the permit row when approved. */
  resolveIntent(intentId: string, revision: number, resolution: Resolution): Promise<boolean>;
  /** Guard: pending, not past its time, nobody asked before. */
  requestExtension(intentId: string, request: ExtensionRequest): Promise<boolean>;
  /**
   * Pending intents whose time has passed, for this transaction to expire, oldest expiry first. Those that another gate
   * is at may be left to it, so none of them need to be here.
   */
  claimDueIntents(now: Instant, limit: number): Promise<readonly DueIntent[]>;
  /** Guard: pending, past its time. */
  expireIntent(intentId: string, now: Instant): Promise<boolean>;
  /** A fresh permit. Guard: approved, not consumed, not revoked, not past its time. */
  replacePermit(intentId: string, revision: number, permit: IssuedPermit): Promise<boolean>;
  /** Guard: approved, not consumed, not revoked. */
  consumeIntent(intentId: string, by: string, now: Instant): Promise<boolean>;
  /**
   * Undoes a use of which nothing came. Guard: consumed by this connector request, and still exactly as that use left it,
   * by its revision; no outcome, not revoked, not erased.
   */
  releaseIntent(intentId: string, by: string, revision: number): Promise<boolean>;
  /** Guard: approved, not revoked. */
  revokeIntent(intentId: string, now: Instant): Promise<boolean>;
  /** Guard: consumed by this credential or connector request, no outcome yet. */
  reportOutcome(intentId: string, by: string, outcome: Outcome, now: Instant): Promise<boolean>;
}

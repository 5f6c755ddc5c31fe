/** The API types of intents. */
import type {
  ApprovalMethod,
  IntentDecision,
  IntentStatus,
  JsonObject,
  Outcome,
  ProofTier,
  RiskTier,
  SourceType,
} from '@permitry/protocol';

/** What an agent wants to do, declared before it runs. */
export interface CreateIntent<P extends object = JsonObject, M extends object = JsonObject> {
  /** Name of the action: 1 to 128 letters, digits and `._:/-`, e.g. `payments.refund`. */
  action: string;
  /** The parameters of the action. The permit is valid for exactly these. JSON, at most 256 KiB with the rest. */
  params?: P;
  /** Shown to approvers as the requester's own words. The permit does not cover it. */
  metadata?: M;
  /** Name of the requester. With an agent's key it is that agent's name, and may be omitted. */
  source?: string;
  source_type?: SourceType;
  /** The minimum. The agent and the policy may raise it. */
  risk_tier?: RiskTier;
  /** Proof of presence that an approval requires. The policy may raise it. */
  proof_tier?: ProofTier;
  /**
   * Email addresses of members, names of groups, or `role:approver`, `role:admin`, `role:owner`. They narrow the
   * approvers that the policy asks for, and never replace them or add any. Names that the policy does not ask for are
   * refused with `approver_not_found`.
   */
  approvers?: string[];
  /** How many different people must approve, 1 to 20. The policy may require more. */
  min_approvals?: number;
  /** Lifetime in seconds, 1 to 2 592 000. Default: 3600, unless the policy sets another. */
  expires_in?: number;
}

/** One approval. */
export interface Approval {
  /** Email address, or `policy:<rule>`. */
  by: string;
  /** ISO 8601, UTC. */
  at: string;
  method: ApprovalMethod;
}

/** The signed permission to run the action once. */
export interface IntentPermit {
  /** JWS in compact form; a bearer secret. Absent for callers who may see the intent but not use it. */
  token?: string;
  /** ISO 8601, UTC. After that, get a fresh permit (`intents.freshPermit`). */
  expires_at: string;
  /** Email address of the last approver needed, or `policy:<rule>`. */
  approved_by: string;
  /** ISO 8601, UTC. */
  approved_at: string;
}

/** Properties that lists and single reads share. */
interface IntentBase {
  /** `int_…` */
  id: string;
  status: IntentStatus;
  action: string;
  params: JsonObject;
  /** `sha256:<hex>` of the parameters' canonical JSON (RFC 8785). */
  params_hash: string;
  source: string | null;
  source_type: SourceType;
  /** The effective tier. */
  risk_tier: RiskTier;
  /** The effective tier. */
  proof_tier: ProofTier;
  /** As the request named them. */
  approvers: string[];
  /** Where a person reviews and decides it. */
  approval_url: string;
  /** ISO 8601, UTC, like all instants here. */
  created_at: string;
  expires_at: string;
  /** Approvals required. */
  approvals_required: number;
  /** Approvals received. */
  approvals_received: number;
  approvals: Approval[];
  resolved_at: string | null;
  /** Email address, `policy:<rule>`, or null. */
  resolved_by: string | null;
  /** Why it was denied, if a reason was given. `withdrawn` when the requester withdrew it. */
  reason: string | null;
  /** The outcome that the executor reported. */
  outcome: Outcome | null;
  /** Present after texts were erased. */
  erased_at?: string;
  /** The intent that this one resubmits. */
  asked_again_from?: string;
  /** Present after an approver asked for more time. */
  extension_requested?: { by: string; at: string; comment: string | null };
}

/** An intent, as read one at a time. */
export interface Intent extends IntentBase {
  metadata: JsonObject;
  /** Present after the approval. */
  permit?: IntentPermit;
}

/** An intent in a list: without its permit. */
export interface IntentSummary extends IntentBase {
  /** What the policy said when the intent was created. */
  decision: IntentDecision;
}

/** Which intents to list, newest first. */
export interface ListIntents {
  /** `resolved`: all that are not pending. Default: all. */
  status?: IntentStatus | 'resolved';
  /** 1 to 200. Default: 50. */
  limit?: number;
  /** `next_cursor` of the previous page. */
  cursor?: string;
}

/** Optional properties of an approval. */
export interface ApproveIntent {
  comment?: string;
  /** A completed proof session, if the intent's `proof_tier` requires one. */
  proof_session_id?: string;
  /**
   * Hash of what the approver was shown. Refused (409) when it is not this intent's. Required for a user token that
   * decides with a device proof; optional for keys and tokens without one.
   */
  intent_hash?: string;
}

/** Optional properties of a denial. */
export interface DenyIntent {
  /** At most 2000 characters. The requester sees it. */
  reason?: string;
  intent_hash?: string;
}

/** The outcome of an action. */
export interface ReportOutcome {
  outcome: Outcome;
  /** At most 2000 characters. Kept in the audit log. */
  detail?: string;
}

/** An outcome as recorded. */
export interface RecordedOutcome {
  id: string;
  intent_id: string;
  outcome: Outcome;
  reported_at: string;
}

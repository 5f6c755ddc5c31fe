/** Intents as the gate's wire has them. */
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

/** What an agent wants to do, declared before it is done. */
export interface CreateIntent<P extends object = JsonObject, M extends object = JsonObject> {
  /** Name of the action: 1 to 128 letters, digits and `._:/-`, e.g. `payments.refund`. */
  action: string;
  /** What it is to be done with. The permit holds for exactly these. JSON, at most 256 KiB with the rest. */
  params?: P;
  /** Shown to approvers as the requester's own words; not part of what the permit is bound to. */
  metadata?: M;
  /** Name of the requester. With an agent's key it is that agent's name, and may be left out. */
  source?: string;
  source_type?: SourceType;
  /** At least this; agent and policy may raise it. */
  risk_tier?: RiskTier;
  /** Proof of presence that an approval has to bring; policy may raise it. */
  proof_tier?: ProofTier;
  /**
   * E-mail addresses of members, names of groups, or `role:approver`, `role:admin`, `role:owner`. They narrow whom policy
   * asks, and never add to it or replace it. Names that policy does not ask are refused with `approver_not_found`.
   */
  approvers?: string[];
  /** How many different people must approve, 1 to 20. Policy may ask for more. */
  min_approvals?: number;
  /** Lifetime in seconds, 1 to 2 592 000; 3600 unless policy says otherwise. */
  expires_in?: number;
}

/** One approval. */
export interface Approval {
  /** E-mail address, or `policy:<rule>`. */
  by: string;
  /** ISO 8601, UTC. */
  at: string;
  method: ApprovalMethod;
}

/** The signed permission to run the action once. */
export interface IntentPermit {
  /** JWS in compact form; a bearer secret. Absent for who may see the intent and not use it. */
  token?: string;
  /** ISO 8601, UTC. Past it, ask for a fresh one (`intents.freshPermit`). */
  expires_at: string;
  /** E-mail address of the last approver needed, or `policy:<rule>`. */
  approved_by: string;
  /** ISO 8601, UTC. */
  approved_at: string;
}

/** What lists and single reads share. */
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
  /** The tier in force. */
  risk_tier: RiskTier;
  /** The tier in force. */
  proof_tier: ProofTier;
  /** As the request named them. */
  approvers: string[];
  /** Where a person reads and decides it. */
  approval_url: string;
  /** ISO 8601, UTC, like all instants here. */
  created_at: string;
  expires_at: string;
  /** Places to fill. */
  approvals_required: number;
  /** Places filled. */
  approvals_received: number;
  approvals: Approval[];
  resolved_at: string | null;
  /** E-mail address, `policy:<rule>`, or null. */
  resolved_by: string | null;
  /** Why it was denied, if somebody said so; `withdrawn` when the requester took it back. */
  reason: string | null;
  /** What the executor reported. */
  outcome: Outcome | null;
  /** There once texts were erased. */
  erased_at?: string;
  /** The intent that this one asks for again. */
  asked_again_from?: string;
  /** There once an approver asked for more time. */
  extension_requested?: { by: string; at: string; comment: string | null };
}

/** An intent, as it is read one at a time. */
export interface Intent extends IntentBase {
  metadata: JsonObject;
  /** There once it is approved. */
  permit?: IntentPermit;
}

/** An intent in a list: without its permit. */
export interface IntentSummary extends IntentBase {
  /** What policy said when it was made. */
  decision: IntentDecision;
}

/** Which intents are listed, newest first. */
export interface ListIntents {
  /** `resolved`: all that are not pending. Left out: all. */
  status?: IntentStatus | 'resolved';
  /** 1 to 200; 50 when left out. */
  limit?: number;
  /** `next_cursor` of the page before. */
  cursor?: string;
}

/** What an approver may say with an approval. */
export interface ApproveIntent {
  comment?: string;
  /** A completed proof session, where the intent's `proof_tier` asks for one. */
  proof_session_id?: string;
  /**
   * Of what the approver was shown: refused (409) when it is not this intent's. A user token that decides with a device
   * proof has to name it; keys and tokens without one may leave it out.
   */
  intent_hash?: string;
}

/** What an approver may say with a denial. */
export interface DenyIntent {
  /** At most 2000 characters. It reaches the agent. */
  reason?: string;
  intent_hash?: string;
}

/** What came of an action. */
export interface ReportOutcome {
  outcome: Outcome;
  /** At most 2000 characters; kept in the ledger. */
  detail?: string;
}

/** An outcome as it was recorded. */
export interface RecordedOutcome {
  id: string;
  intent_id: string;
  outcome: Outcome;
  reported_at: string;
}

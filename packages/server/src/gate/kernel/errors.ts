import type { PermitRefusal } from '@permitry/protocol';

/** One member of a request that is missing or wrong; `path` is a JSON Pointer (RFC 6901), '' for the body itself. */
export interface FieldProblem {
  path: string;
  message: string;
}

/**
 * Every refusal of an operation, with the extra members of its error body. Each surface has a table from these codes to
 * its own code and HTTP status.
 */
export interface GateErrorDetails {
  unauthorized: Record<never, never>;
  forbidden: { required?: string };
  missing_fields: { fields: readonly FieldProblem[] };
  invalid_fields: { fields: readonly FieldProblem[] };
  payload_too_large: Record<never, never>;
  unsupported_media_type: Record<never, never>;
  /** `Accept` excludes the only available form (HTTP 406). */
  not_acceptable: Record<never, never>;
  request_timeout: Record<never, never>;
  intent_not_found: Record<never, never>;
  project_not_found: Record<never, never>;
  not_found: Record<never, never>;
  intent_expired: { expired_at: string };
  intent_already_resolved: { status: string };
  /** A person denied the request, or the requester withdrew it (HTTP 403). */
  intent_denied: { reason: string | null; intent_id: string };
  already_voted: Record<never, never>;
  approver_not_found: { approvers: readonly string[] };
  policy_violation: { rule: string | null; reason: string | null; intent_id: string };
  proof_required: { proof_tier: string; methods: readonly string[] };
  invalid_proof: Record<never, never>;
  agent_paused: Record<never, never>;
  agent_revoked: Record<never, never>;
  project_stopped: Record<never, never>;
  permit_invalid: { reason: PermitRefusal };
  /** A state other than the intent's own prevents it (HTTP 409). */
  conflict: Record<never, never>;
  /** If-Match names another version than the active one (HTTP 412). */
  precondition_failed: Record<never, never>;
  /** The same key while its first request is still running (HTTP 409). */
  idempotency_in_progress: Record<never, never>;
  /** The same key with another body (HTTP 422). */
  idempotency_mismatch: Record<never, never>;
  rate_limited: { retry_after_seconds: number };
  service_unavailable: { retry_after_seconds: number };
  internal_error: Record<never, never>;
}

export type GateErrorCode = keyof GateErrorDetails;

/**
 * A refusal. The message tells the client what was wrong and what to do. Only the log shows the `cause`.
 *
 * @example throw new GateError('intent_expired', 'This request expired at …. Create a new one.', { expired_at })
 */
export class GateError<C extends GateErrorCode = GateErrorCode> extends Error {
  readonly code: C;
  readonly details: GateErrorDetails[C];

  constructor(code: C, message: string, details: GateErrorDetails[C], options?: { cause?: unknown }) {
    super(message, options);
    this.name = 'GateError';
    this.code = code;
    this.details = details;
  }
}

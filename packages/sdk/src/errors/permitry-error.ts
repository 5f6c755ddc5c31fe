import type { JsonObject, PermitRefusal } from '@permitry/protocol';

/** One member of a request that is missing or wrong; `path` is a JSON Pointer (RFC 6901), '' for the body itself. */
export interface FieldProblem {
  path: string;
  message: string;
}

/** The content of a `PermitryError`. */
export interface PermitryErrorParts {
  code: string;
  status: number;
  requestId?: string | null | undefined;
  fields?: readonly FieldProblem[] | undefined;
  reason?: string | undefined;
  body?: JsonObject | undefined;
  idempotencyKey?: string | null | undefined;
  retryAfterMs?: number | null | undefined;
}

/**
 * The gate refused the call. `code` says why, in the words of the reference: `intent_not_found`, `policy_violation`,
 * `permit_invalid`, `rate_limited`, … It is lower case for both surfaces. A status of 4xx means that nothing was
 * carried out.
 *
 * @example
 * try {
 *   await permitry.permits.consume({ token, action, params });
 * } catch (error) {
 *   if (error instanceof PermitryError && error.code === 'permit_invalid') console.log(error.reason); // 'already_used'
 *   throw error;
 * }
 */
export class PermitryError extends Error {
  override readonly name: string = 'PermitryError';
  /** One word of the closed list, or `unexpected_answer` when the answer did not come from a gate. */
  readonly code: string;
  /** HTTP status. */
  readonly status: number;
  /** `req_…`. With it, the operator finds the call in the gate's log. Null when the answer has none. */
  readonly requestId: string | null;
  /** With `invalid_request`: all problems of the request. Otherwise empty. */
  readonly fields: readonly FieldProblem[];
  /**
   * With `permit_invalid`: why (`expired`, `already_used`, …). With `policy_violation`: the rule's own words, if any.
   */
  readonly reason?: PermitRefusal | (string & {});
  /** The members of `error` as received, e.g. `rule`, `intent_id`, `expired_at`, `status`. */
  readonly body: JsonObject;
  /** With this key you can safely retry the same call. Null for a call without one. */
  readonly idempotencyKey: string | null;
  /** Milliseconds that the gate asks you to wait before the next try. Null when it does not say. */
  readonly retryAfterMs: number | null;

  constructor(message: string, parts: PermitryErrorParts, options?: ErrorOptions) {
    super(message, options);
    this.code = parts.code;
    this.status = parts.status;
    this.requestId = parts.requestId ?? null;
    this.fields = parts.fields ?? [];
    if (parts.reason !== undefined) this.reason = parts.reason;
    this.body = parts.body ?? {};
    this.idempotencyKey = parts.idempotencyKey ?? null;
    this.retryAfterMs = parts.retryAfterMs ?? null;
  }
}

import type { JsonObject, PermitRefusal } from '@permitry/protocol';

/** One member of a request that is missing or wrong; `path` is a JSON Pointer (RFC 6901), '' for the body itself. */
export interface FieldProblem {
  path: string;
  message: string;
}

/** What a `PermitryError` tells. */
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
 * The gate said no. `code` says why, in the words of the reference (`intent_not_found`, `policy_violation`,
 * `permit_invalid`, `rate_limited`, …; always lower case, whichever surface was asked). A status of 4xx means that nothing
 * was carried out.
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
  /** Why, in one word of the closed list; `unexpected_answer` when something other than a gate answered. */
  readonly code: string;
  /** HTTP status. */
  readonly status: number;
  /** `req_…`: under this the operator finds the call in the gate's log. Null when the answer named none. */
  readonly requestId: string | null;
  /** With `invalid_request`: everything that was wrong with the request, at once; empty otherwise. */
  readonly fields: readonly FieldProblem[];
  /** With `permit_invalid`: why (`expired`, `already_used`, …); with `policy_violation`: the rule's own words, if any. */
  readonly reason?: PermitRefusal | (string & {});
  /** The members of `error` as they came, e.g. `rule`, `intent_id`, `expired_at`, `status`. */
  readonly body: JsonObject;
  /** Under this key the same call may be repeated safely; null for a call without one. */
  readonly idempotencyKey: string | null;
  /** Milliseconds that the gate asks to wait before the next try; null when it does not say. */
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

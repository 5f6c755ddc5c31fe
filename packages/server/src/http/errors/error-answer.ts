/** The only place that gives a refusal its body: `{ error: { code, message, request_id, … } }`. */
import type { JsonObject, JsonValue, PermitRefusal } from '@permitry/protocol';
import type { GateError, GateErrorCode } from '../../gate/kernel/errors.ts';
import { withoutKeys } from '../log/scrub.ts';
import type { ErrorTable } from './error-table.ts';

/** Details that become a header instead of a member of the body. */
const HEADER_DETAILS: ReadonlySet<string> = new Set(['retry_after_seconds']);

export interface ErrorAnswer {
  status: number;
  body: { error: JsonObject };
  retryAfterSeconds: number | null;
}

export function toErrorAnswer(error: GateError, table: ErrorTable, requestId: string): ErrorAnswer {
  const { code, status } = table[error.code];
  const body: JsonObject = { code, message: error.message, request_id: requestId };
  for (const [name, value] of Object.entries(error.details)) {
    if (!HEADER_DETAILS.has(name) && value !== undefined) body[name] = value as JsonValue;
  }
  return { status, body: { error: withoutKeys(body) }, retryAfterSeconds: retryAfter(error) };
}

function retryAfter(error: GateError): number | null {
  const { details } = error;
  return 'retry_after_seconds' in details ? Math.max(1, Math.ceil(details.retry_after_seconds)) : null;
}

/** Temporary refusals, or ones that depend on the credential's state. The same request may be accepted later. */
const OF_THE_MOMENT: ReadonlySet<GateErrorCode | PermitRefusal> = new Set([
  'unauthorized',
  'forbidden',
  'agent_paused',
  'agent_revoked',
  'project_stopped',
  'not_yet_valid',
  'request_timeout',
  // The client repeats the request once the person has proved their presence.
  'proof_required',
  'idempotency_in_progress',
  'idempotency_mismatch',
  'rate_limited',
  'service_unavailable',
  'internal_error',
]);

/** Whether a repetition of the request would get the same refusal. */
export function isRememberable({ code, details }: GateError): boolean {
  if (OF_THE_MOMENT.has(code)) return false;
  return !(
    code === 'permit_invalid' &&
    'reason' in details &&
    OF_THE_MOMENT.has(details.reason as PermitRefusal)
  );
}

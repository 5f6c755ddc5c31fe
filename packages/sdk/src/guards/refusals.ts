/** The answers of a guard that refuses a request: status, code and sentence. */
import type { JsonObject } from '../index.ts';
import { PermitRefusedError, PermitryError } from '../index.ts';

/** The answer of a guard that refuses a request. */
export interface GuardRefusal {
  status: 400 | 403 | 503;
  headers: Readonly<Record<string, string>>;
  body: { error: { code: GuardRefusalCode; message: string } & JsonObject };
}

/** For `permit_refused`, `reason` holds the gate's own word. After `gate_unavailable` a retry makes sense. */
export type GuardRefusalCode = 'invalid_request' | 'permit_required' | 'permit_refused' | 'gate_unavailable';

const STATUSES: Readonly<Record<GuardRefusalCode, GuardRefusal['status']>> = {
  invalid_request: 400,
  permit_required: 403,
  permit_refused: 403,
  gate_unavailable: 503,
};

const SENTENCES: Readonly<Record<GuardRefusalCode, string>> = {
  invalid_request: 'The request cannot be checked against a permit.',
  permit_required:
    'This requires a permit: get one from the gate and send it as `Authorization: Permit <token>`.',
  permit_refused: 'The permit does not allow this request.',
  gate_unavailable: 'The permit could not be verified, so nothing was done. Try again later.',
};

const RETRY_AFTER_SECONDS = 1;

export function refusal(
  code: GuardRefusalCode,
  message: string = SENTENCES[code],
  more: JsonObject = {},
): GuardRefusal {
  const status = STATUSES[code];
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    ...(status === 503 ? { 'retry-after': String(RETRY_AFTER_SECONDS) } : {}),
  };
  return { status, headers, body: { error: { code, message, ...more } } };
}

/**
 * Turns the error of an attempt to use a permit into an answer. Only an error about the permit itself refuses the
 * permit. If the gate is unavailable, limits the executor or does not know it, the permit may still be valid.
 */
export function refusalOf(error: unknown): GuardRefusal {
  if (error instanceof PermitRefusedError) return permitRefused(error.reason, error.message);
  if (error instanceof PermitryError) {
    if (error.code === 'permit_invalid') return permitRefused(error.reason, error.message);
    if (error.code === 'invalid_request') return refusal('invalid_request', error.message);
  }
  return refusal('gate_unavailable');
}

function permitRefused(reason: string | undefined, message: string): GuardRefusal {
  const answer = refusal('permit_refused', message, reason === undefined ? {} : { reason });
  // A token that is not a permit is a mistake in the request. An invalid permit is refused.
  return reason === 'malformed' || reason === 'not_a_permit' ? { ...answer, status: 400 } : answer;
}

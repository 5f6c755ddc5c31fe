/** The answers of a guard that lets nothing through: their status, code and sentence. */
import type { JsonObject } from '../index.ts';
import { PermitRefusedError, PermitryError } from '../index.ts';

/** What a guard answers instead of letting a request through. */
export interface GuardRefusal {
  status: 400 | 403 | 503;
  headers: Readonly<Record<string, string>>;
  body: { error: { code: GuardRefusalCode; message: string } & JsonObject };
}

/** `permit_refused` has the gate's own word beside it, in `reason`; with `gate_unavailable` trying again makes sense. */
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
    'This takes a permit: ask the gate for one and send it as `Authorization: Permit <token>`.',
  permit_refused: 'The permit does not allow this request.',
  gate_unavailable: 'Whether the permit holds could not be found out, so nothing was done. Try again later.',
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
 * What an attempt to use a permit failed with, as an answer. Only what was said of the permit itself refuses the
 * permit: a gate that is away, limits or does not know this executor leaves the question open.
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
  // What is no permit at all is a mistake of the request; what is one and does not hold is a refusal.
  return reason === 'malformed' || reason === 'not_a_permit' ? { ...answer, status: 400 } : answer;
}

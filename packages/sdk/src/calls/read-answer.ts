/** Turns an HTTP answer into its JSON or its error. */
import type { JsonObject, JsonValue } from '@permitry/protocol';
import { ConnectionError } from '../errors/connection-error.ts';
import { type FieldProblem, PermitryError } from '../errors/permitry-error.ts';
import { retryAfterMs } from './retry-after.ts';

/** Surface A's error codes that differ from surface B's by more than capitals. */
const SURFACE_A_CODES: Readonly<Record<string, string>> = {
  MISSING_FIELDS: 'invalid_request',
  INVALID_FIELDS: 'invalid_request',
  INVALID_PERMIT: 'permit_invalid',
};

/** The codes given to answers that come from a proxy. */
const CODES_OF_PROXIES: Readonly<Record<number, string>> = {
  429: 'rate_limited',
  502: 'service_unavailable',
  503: 'service_unavailable',
  504: 'service_unavailable',
};

export interface AnsweredCall {
  response: Response;
  text: string;
  idempotencyKey: string | null;
  hasKey: boolean;
}

/** @throws PermitryError; ConnectionError when a successful answer is not complete JSON */
export function readAnswer({ response, text, idempotencyKey, hasKey }: AnsweredCall): JsonValue {
  const { status } = response;
  // Success without a body.
  if (status === 204) return null;
  const value = parse(text);
  if (response.ok && value !== undefined) return value;
  if (response.ok) {
    throw new ConnectionError(
      'The answer is not complete JSON: it was cut off, or the server at baseUrl is not a Permitry gate.',
      { problem: 'broken_answer', isSent: true, idempotencyKey },
    );
  }
  const error = objectOf(objectOf(value)?.error);
  const common = {
    status,
    idempotencyKey,
    retryAfterMs: retryAfterMs(status, response.headers),
    requestId: textOf(error?.request_id) ?? response.headers.get('x-request-id'),
  };
  const code = textOf(error?.code);
  if (error === undefined || code === undefined) {
    const message = `The gate, or a proxy in front of it, answered ${status} without saying why.`;
    throw new PermitryError(message, { ...common, code: CODES_OF_PROXIES[status] ?? 'unexpected_answer' });
  }
  throw new PermitryError(sentenceOf(error, status, hasKey), {
    ...common,
    code: SURFACE_A_CODES[code] ?? code.toLowerCase(),
    fields: fieldsOf(error.fields),
    reason: textOf(error.reason),
    body: error,
  });
}

function parse(text: string): JsonValue | undefined {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    return undefined;
  }
}

function sentenceOf(error: JsonObject, status: number, hasKey: boolean): string {
  const message = textOf(error.message) ?? `The gate refused with ${status}.`;
  return status === 401 && !hasKey
    ? `${message} (This client has no key: give it apiKey, or set PERMITRY_KEY.)`
    : message;
}

function fieldsOf(value: JsonValue | undefined): FieldProblem[] {
  if (!Array.isArray(value)) return [];
  return value.flatMap((entry) => {
    const problem = objectOf(entry);
    const message = textOf(problem?.message);
    return message === undefined ? [] : [{ path: textOf(problem?.path) ?? '', message }];
  });
}

function objectOf(value: JsonValue | undefined): JsonObject | undefined {
  return value !== null && typeof value === 'object' && !Array.isArray(value) ? value : undefined;
}

function textOf(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

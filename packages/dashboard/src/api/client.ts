/** Calls the gate that served this page, in JSON both ways. A refusal is thrown as an `ApiError`. */

import * as words from './api.words.ts';
import { ApiError, type FieldProblem } from './api-error.ts';
import { attendanceHeaders } from './attendance.ts';
import { confirmPresence } from './confirm-presence.ts';
import { learnServerTime } from './server-time.ts';

export interface CallOptions {
  /** Members that are undefined, null or empty are left out. */
  query?: Readonly<Record<string, string | number | boolean | null | undefined>>;
  signal?: AbortSignal;
  timeoutMs?: number;
  /**
   * Makes a POST safe to send again: the same key returns the first answer. Create it once per button press with
   * `newIdempotencyKey()`, outside the function that is retried.
   */
  idempotencyKey?: string;
  headers?: Readonly<Record<string, string>>;
  /** A 401 is thrown and has no other effect. For sign-in itself. */
  staysOnUnauthorized?: boolean;
}

const TIMEOUT_MS = 20_000;

let whenSignedOut = (): void => undefined;

/** Calls the listener when an answer says that the session is over. */
export function onSignedOut(listener: () => void): void {
  whenSignedOut = listener;
}

export const api = {
  get: <T>(path: string, options?: CallOptions) => call<T>('GET', path, undefined, options),
  post: <T>(path: string, body: unknown = {}, options?: CallOptions) => call<T>('POST', path, body, options),
  put: <T>(path: string, body: unknown, options?: CallOptions) => call<T>('PUT', path, body, options),
  patch: <T>(path: string, body: unknown, options?: CallOptions) => call<T>('PATCH', path, body, options),
  delete: <T>(path: string, options?: CallOptions) => call<T>('DELETE', path, undefined, options),
  /** Returns the whole response, for headers such as `ETag` or for downloads. Refusals are still thrown. */
  fetch: (method: string, path: string, body?: unknown, options?: CallOptions) =>
    sendPresent(method, path, body, options),
};

export function newIdempotencyKey(): string {
  return crypto.randomUUID();
}

async function call<T>(method: string, path: string, body: unknown, options: CallOptions = {}): Promise<T> {
  const response = await sendPresent(method, path, body, options);
  if (response.status === 204) return undefined as T;
  return (await response.json()) as T;
}

/** If the call needs a fresh proof of presence, asks for it and sends the call once more. */
function sendPresent(method: string, path: string, body: unknown, options?: CallOptions): Promise<Response> {
  const request = () => send(method, path, body, options);
  return method === 'GET' || options?.staysOnUnauthorized ? request() : confirmPresence.guard(request);
}

async function send(
  method: string,
  path: string,
  body: unknown,
  options: CallOptions = {},
): Promise<Response> {
  const timeout = AbortSignal.timeout(options.timeoutMs ?? TIMEOUT_MS);
  const signal = options.signal ? AbortSignal.any([options.signal, timeout]) : timeout;
  const response = await fetch(withQuery(path, options.query), {
    method,
    signal,
    credentials: 'same-origin',
    redirect: 'error',
    headers: {
      accept: 'application/json',
      ...attendanceHeaders(),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(options.idempotencyKey && { 'idempotency-key': options.idempotencyKey }),
      ...options.headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  }).catch((error: unknown) => {
    throw options.signal?.aborted ? error : noAnswer(timeout.aborted);
  });
  learnServerTime(response.headers.get('date'));
  if (response.ok) return response;
  if (response.status === 401 && !options.staysOnUnauthorized) whenSignedOut();
  throw await toApiError(response);
}

function withQuery(path: string, query: CallOptions['query'] = {}): string {
  const given = Object.entries(query).filter(
    ([, value]) => value !== undefined && value !== null && value !== '',
  );
  if (given.length === 0) return path;
  return `${path}?${new URLSearchParams(given.map(([name, value]) => [name, String(value)]))}`;
}

function noAnswer(isLate: boolean): ApiError {
  return isLate
    ? new ApiError(0, {
        code: 'timeout',
        message: words.late,
      })
    : new ApiError(0, {
        code: 'offline',
        message: words.unreachable,
      });
}

interface ErrorBody {
  error?: { code: string; message: string; request_id?: string; fields?: FieldProblem[] };
}

async function toApiError(response: Response): Promise<ApiError> {
  const body = (await response.json().catch(() => ({}))) as ErrorBody;
  // A proxy in front of the gate may answer in its own format.
  const error = body.error ?? {
    code: 'internal_error',
    message: words.unexpected(response.status),
  };
  return new ApiError(response.status, error);
}

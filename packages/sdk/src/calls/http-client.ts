/** Owns HTTP: one call, its headers, its timeout, and the back-off after a 429. Everything else goes through here. */
import { ConnectionError } from '../errors/connection-error.ts';
import { PermitryError } from '../errors/permitry-error.ts';
import { assertTimeout, type Settings } from '../settings.ts';
import { UNCACHED, WITHOUT_COOKIES } from './browser-init.ts';
import type { CallOptions } from './call-options.ts';
import { toConnectionError } from './connection-problem.ts';
import { assertIdempotencyKey, newIdempotencyKey } from './idempotency-key.ts';
import { pause } from './pause.ts';
import { readAnswer } from './read-answer.ts';
import { withinTime } from './within-time.ts';

/** Members of a query string. Undefined ones are dropped. */
export type Query = Readonly<Record<string, string | number | boolean | undefined>>;

/** One request to the gate. */
export interface GateRequest {
  method: string;
  /** Begins with a slash. Each segment is already encoded. */
  path: string;
  query?: Query | undefined;
  body?: object | undefined;
  /** Milliseconds that the gate may hold the answer, in addition to `timeoutMs`. */
  waitMs?: number;
  /** Overrides the client's `maxAttempts`. */
  maxAttempts?: number;
}

export class HttpClient {
  readonly #settings: Settings;

  constructor(settings: Settings) {
    this.#settings = settings;
  }

  /**
   * Returns the JSON of a successful answer. Retries a 429 after the back-off, under the same idempotency key, and
   * nothing else.
   *
   * @throws PermitryError, ConnectionError, TypeError; the signal's reason
   */
  async send<T>(request: GateRequest, options: CallOptions = {}): Promise<T> {
    const { signal, timeoutMs = this.#settings.timeoutMs } = options;
    assertTimeout(timeoutMs);
    const idempotencyKey = options.idempotencyKey ?? (request.method === 'POST' ? newIdempotencyKey() : null);
    if (idempotencyKey !== null) assertIdempotencyKey(idempotencyKey);
    const ready = { request, idempotencyKey, signal, timeoutMs: timeoutMs + (request.waitMs ?? 0) };
    const attempts = request.maxAttempts ?? this.#settings.maxAttempts;
    for (let attempt = 1; ; attempt += 1) {
      try {
        return (await this.#attempt(ready)) as T;
      } catch (error) {
        if (!(error instanceof PermitryError) || error.status !== 429 || attempt >= attempts) throw error;
        await pause(error.retryAfterMs ?? 1000, signal);
      }
    }
  }

  async #attempt({ request, idempotencyKey, signal, timeoutMs }: ReadyRequest): Promise<unknown> {
    const { baseUrl, apiKey, fetch } = this.#settings;
    const url = `${baseUrl}${request.path}${toQueryString(request.query)}`;
    const init: RequestInit = {
      method: request.method,
      headers: {
        accept: 'application/json',
        ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
        ...(request.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(idempotencyKey === null ? {} : { 'idempotency-key': idempotencyKey }),
      },
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
      // A redirect could lead to any host, and the key would be sent there.
      redirect: 'manual',
      ...WITHOUT_COOKIES,
      ...UNCACHED,
    };
    let answered: { response: Response; text: string };
    try {
      answered = await withinTime(timeoutMs, signal, async (within) => {
        const response = await fetch(url, { ...init, signal: within });
        assertNotRedirected(response, idempotencyKey);
        return { response, text: await response.text() };
      });
    } catch (error) {
      if (error instanceof ConnectionError) throw error;
      if (signal?.aborted) throw signal.reason;
      const { origin } = new URL(baseUrl);
      throw toConnectionError(error, { origin, option: 'baseUrl', timeoutMs, idempotencyKey });
    }
    return readAnswer({ ...answered, idempotencyKey, hasKey: apiKey !== undefined });
  }
}

interface ReadyRequest {
  request: GateRequest;
  idempotencyKey: string | null;
  signal: AbortSignal | undefined;
  timeoutMs: number;
}

function assertNotRedirected(response: Response, idempotencyKey: string | null): void {
  const isRedirect = response.type === 'opaqueredirect' || (response.status >= 300 && response.status < 400);
  if (!isRedirect) return;
  void response.body?.cancel().catch(() => {});
  const location = response.headers.get('location') ?? '';
  const to = URL.canParse(location) ? ` to ${new URL(location).origin}` : '';
  throw new ConnectionError(
    `The server at baseUrl redirects${to}. Redirects are not followed, since the key would go along: set baseUrl to the gate's own address.`,
    { problem: 'redirected', isSent: true, idempotencyKey },
  );
}

function toQueryString(query: Query = {}): string {
  const params = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) params.set(name, String(value));
  }
  return params.size === 0 ? '' : `?${params}`;
}

/** Checks that an answer is complete, because the caller will act on it. @throws ConnectionError */
export function assertAnswer(isWhole: boolean, idempotencyKey: string | null = null): void {
  if (isWhole) return;
  throw new ConnectionError(
    'The answer is JSON, but not an answer of a gate. The server at baseUrl may not be a Permitry gate.',
    { problem: 'broken_answer', isSent: true, idempotencyKey },
  );
}

/** One segment of a path. Ids come from outside. @throws TypeError for an id that would make another path */
export function segment(id: string): string {
  if (typeof id !== 'string' || id === '' || id === '.' || id === '..')
    throw new TypeError('an ID must be a non-empty string');
  return encodeURIComponent(id);
}

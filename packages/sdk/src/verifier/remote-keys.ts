/**
 * Owns the gate's public keys at an executor. Caches them for as long as the gate's answer says, and fetches them again
 * for an unknown key.
 */
import type { JsonObject, JsonValue, PublicJwk, PublicJwks } from '@permitry/protocol';
import { WITHOUT_COOKIES } from '../calls/browser-init.ts';
import { toConnectionError } from '../calls/connection-problem.ts';
import { atMost } from '../calls/pause.ts';
import { withinTime } from '../calls/within-time.ts';
import { ConnectionError } from '../errors/connection-error.ts';

const SHORTEST_AGE_MS = 30_000;
const LONGEST_AGE_MS = 3_600_000;
/** How long keys are cached when the answer does not say. */
const USUAL_AGE_MS = 300_000;
/** How long cached keys are used while the gate does not answer. By then every permit signed before has expired. */
const LONGEST_STALE_MS = 3_600_000;
/** A sender of tokens with made-up key ids must not make us call the gate for each. */
const COOL_DOWN_MS = 30_000;
/** The pause after a failed fetch, while the cached keys are still usable. */
const RETRY_MS = 5000;
/** How long a caller waits for newer keys while the cached keys are still usable. */
const PATIENCE_MS = 1000;
const TIMEOUT_MS = 10_000;
const LONGEST_DOCUMENT = 256 * 1024;
const MOST_KEYS = 100;

interface KeptKeys {
  jwks: PublicJwks;
  fetchedAt: number;
  freshUntil: number;
}

export class RemoteKeys {
  readonly #url: string;
  readonly #fetch: typeof fetch;
  #kept: KeptKeys | undefined;
  #loading: Promise<PublicJwks> | undefined;
  #askedAt = Number.NEGATIVE_INFINITY;

  constructor(url: string, fetchKeys: typeof fetch) {
    this.#url = url;
    this.#fetch = fetchKeys;
  }

  /** @throws ConnectionError when there are no keys, or none that may still be used */
  async current(): Promise<PublicJwks> {
    const kept = this.#kept;
    const now = performance.now();
    if (kept === undefined || now >= kept.fetchedAt + LONGEST_STALE_MS) return this.#load();
    if (now < kept.freshUntil) return kept.jwks;
    if (this.#loading === undefined && now < this.#askedAt + RETRY_MS) return kept.jwks;
    // A request that hangs must not hold up every permit while the cached keys are usable.
    const done = (): void => {};
    await atMost(this.#patienceMs(now), this.#load().then(done, done));
    return (this.#kept ?? kept).jwks;
  }

  /** Fetches the current keys for a token whose key is not cached. Undefined while the cool-down lasts. */
  async newer(): Promise<PublicJwks | undefined> {
    if (this.#loading === undefined && performance.now() < this.#askedAt + COOL_DOWN_MS) return undefined;
    return this.#load();
  }

  /** How long to wait for newer keys, counted from the start of the request. */
  #patienceMs(now: number): number {
    return this.#loading === undefined ? PATIENCE_MS : Math.max(0, this.#askedAt + PATIENCE_MS - now);
  }

  /** However many callers ask, one request is in progress. */
  #load(): Promise<PublicJwks> {
    this.#loading ??= this.#request().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  async #request(): Promise<PublicJwks> {
    const now = performance.now();
    this.#askedAt = now;
    const { headers, text } = await this.#read();
    const jwks = toJwks(text);
    this.#kept = { jwks, fetchedAt: now, freshUntil: now + maxAgeMs(headers) };
    return jwks;
  }

  async #read(): Promise<{ headers: Headers; text: string }> {
    try {
      return await withinTime(TIMEOUT_MS, undefined, async (signal) => {
        const response = await this.#fetch(this.#url, {
          headers: { accept: 'application/json' },
          redirect: 'manual',
          signal,
          ...WITHOUT_COOKIES,
        });
        if (!response.ok) throw broken(`${this.#url} answered ${response.status || 'with a redirect'}.`);
        return { headers: response.headers, text: await readText(response) };
      });
    } catch (error) {
      if (error instanceof ConnectionError) throw error;
      const { origin } = new URL(this.#url);
      const call = { origin, option: 'issuer or jwksUrl', timeoutMs: TIMEOUT_MS, idempotencyKey: null };
      throw toConnectionError(error, call);
    }
  }
}

/** @throws ConnectionError for a body longer than keys can be, without reading the rest */
async function readText({ body }: Response): Promise<string> {
  const decoder = new TextDecoder();
  let text = '';
  // Not `for await`, which not every browser supports for streams.
  const reader = body?.getReader();
  for (;;) {
    const { done, value } = (await reader?.read()) ?? { done: true };
    if (done) return text + decoder.decode();
    text += decoder.decode(value, { stream: true });
    if (text.length <= LONGEST_DOCUMENT) continue;
    void reader?.cancel().catch(() => {});
    throw broken('The answer from jwksUrl is too long for a JWK set.');
  }
}

/**
 * The age that `Cache-Control` allows (RFC 9111 §5.2.2), less the `Age` of the answer. It stays within bounds, whatever
 * the answer says.
 */
function maxAgeMs(headers: Headers): number {
  const control = headers.get('cache-control') ?? '';
  const isUncacheable = /\bno-(?:store|cache)\b/i.test(control);
  const seconds = /(?:^|[\s,])max-age\s*=\s*"?(\d{1,9})/i.exec(control)?.[1];
  const age = Number(/^\d{1,9}$/.exec(headers.get('age') ?? '')?.[0] ?? 0);
  const said = seconds === undefined ? USUAL_AGE_MS : (Number(seconds) - age) * 1000;
  return Math.min(LONGEST_AGE_MS, Math.max(SHORTEST_AGE_MS, isUncacheable ? 0 : said));
}

/** @throws ConnectionError for a text that is not a JWK set */
function toJwks(text: string): PublicJwks {
  let value: JsonValue = null;
  try {
    value = JSON.parse(text) as JsonValue;
  } catch {
    // Reported below.
  }
  const keys = (value as JsonObject | null)?.keys;
  if (!Array.isArray(keys)) throw broken('The answer from jwksUrl is not a JWK set.');
  return { keys: keys.slice(0, MOST_KEYS).flatMap(toSigningKey) };
}

/** Skips keys of other kinds, which are not ours. The import finds errors in the numbers. */
function toSigningKey(value: JsonValue): PublicJwk[] {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return [];
  const { kty, crv, x, y, kid, alg = 'ES256', use = 'sig' } = value;
  if (kty !== 'EC' || crv !== 'P-256' || alg !== 'ES256' || use !== 'sig') return [];
  if (typeof x !== 'string' || typeof y !== 'string' || typeof kid !== 'string') return [];
  return [{ kty, crv, x, y, kid, alg, use }];
}

function broken(message: string): ConnectionError {
  return new ConnectionError(message, { problem: 'broken_answer', isSent: true });
}

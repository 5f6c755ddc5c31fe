/** A client's settings: passed in, or read from the environment if there is one. */

/** Options of a client. All are optional. */
export interface PermitryOptions {
  /**
   * Address of the gate, with or without `/v1`. Default: `PERMITRY_URL`, else `http://localhost:8787`.
   */
  baseUrl?: string | undefined;
  /** Key of an agent, a service or a verifier, or a person's access token (`prm_…`). Default: `PERMITRY_KEY`. */
  apiKey?: string | undefined;
  /** Replaces the platform's `fetch`, for proxies or tests. */
  fetch?: typeof fetch | undefined;
  /** Milliseconds for each HTTP call, from sending to the last byte of the answer. Default: 10 000. */
  timeoutMs?: number | undefined;
  /** How often to try a call in total while the gate answers 429. Nothing else is retried. Default: 3. */
  maxAttempts?: number | undefined;
}

/** Checked and complete. */
export interface Settings {
  /** Without a trailing slash. */
  baseUrl: string;
  apiKey: string | undefined;
  fetch: typeof fetch;
  timeoutMs: number;
  maxAttempts: number;
}

const DEFAULT_URL = 'http://localhost:8787';
const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_ATTEMPTS = 3;

/** @throws TypeError for an unusable address, key or number */
export function readSettings(options: PermitryOptions): Settings {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, maxAttempts = DEFAULT_ATTEMPTS } = options;
  assertTimeout(timeoutMs);
  if (!Number.isInteger(maxAttempts) || maxAttempts < 1) throw new TypeError('maxAttempts must be 1 or more');
  return {
    baseUrl: toBaseUrl(options.baseUrl ?? environment('PERMITRY_URL') ?? DEFAULT_URL),
    apiKey: toKey(options.apiKey ?? environment('PERMITRY_KEY')),
    // Looked up at each call, and called on `globalThis`, because browsers refuse another `this`.
    fetch: options.fetch ?? ((...request) => globalThis.fetch(...request)),
    timeoutMs,
    maxAttempts,
  };
}

/** @throws TypeError */
export function assertTimeout(timeoutMs: number): void {
  if (!(timeoutMs > 0)) throw new TypeError('timeoutMs must be a number of milliseconds above 0');
}

/** @throws TypeError */
export function toBaseUrl(text: string): string {
  if (!URL.canParse(text))
    throw new TypeError('baseUrl must be the address of a gate, e.g. https://gate.example.com');
  const url = new URL(text);
  if (url.protocol !== 'https:' && url.protocol !== 'http:')
    throw new TypeError('baseUrl must begin with https:// or http://');
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '')
    throw new TypeError('baseUrl must be an address alone: no credentials, query or fragment');
  return `${url.origin}${url.pathname}`.replace(/\/+$/, '').replace(/\/v1$/, '');
}

function toKey(text: string | undefined): string | undefined {
  // Keys from files and variables often end in a newline.
  const key = text?.trim();
  if (key === undefined || key === '') return undefined;
  if (!/^[\x21-\x7e]+$/.test(key)) throw new TypeError('apiKey contains characters that no key has');
  return key;
}

function environment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  const value = process?.env?.[name];
  return value === '' ? undefined : value;
}

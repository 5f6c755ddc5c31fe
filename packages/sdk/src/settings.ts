/** What a client knows of its gate: given to it, or read from the environment where there is one. */

/** How a client is made; everything may be left out. */
export interface PermitryOptions {
  /**
   * Address of the gate, with or without `/v1`. Default: `PERMITRY_URL`, else `http://localhost:8787`.
   */
  baseUrl?: string | undefined;
  /** An agent's, a service's or a verifier's key, or a person's token (`prm_…`). Default: `PERMITRY_KEY`. */
  apiKey?: string | undefined;
  /** Instead of the platform's: for proxies, or tests. */
  fetch?: typeof fetch | undefined;
  /** Milliseconds for each HTTP call, from sending to the last byte of the answer. Default: 10 000. */
  timeoutMs?: number | undefined;
  /** How often a call is tried in all while the gate answers 429. Nothing else is tried again. Default: 3. */
  maxAttempts?: number | undefined;
}

/** Checked and complete. */
export interface Settings {
  /** Without a slash at its end. */
  baseUrl: string;
  apiKey: string | undefined;
  fetch: typeof fetch;
  timeoutMs: number;
  maxAttempts: number;
}

const DEFAULT_URL = 'http://localhost:8787';
const DEFAULT_TIMEOUT_MS = 10_000;
const DEFAULT_ATTEMPTS = 3;

/** @throws TypeError for an address, a key or a number that cannot be used */
export function readSettings(options: PermitryOptions): Settings {
  const { timeoutMs = DEFAULT_TIMEOUT_MS, maxAttempts = DEFAULT_ATTEMPTS } = options;
  assertTimeout(timeoutMs);
  if (!Number.isInteger(maxAttempts) || maxAttempts < 1) throw new TypeError('maxAttempts must be 1 or more');
  return {
    baseUrl: toBaseUrl(options.baseUrl ?? environment('PERMITRY_URL') ?? DEFAULT_URL),
    apiKey: toKey(options.apiKey ?? environment('PERMITRY_KEY')),
    // Looked up at each call, and called without a `this`, which browsers refuse.
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
  // From files and variables it often comes with a line end.
  const key = text?.trim();
  if (key === undefined || key === '') return undefined;
  if (!/^[\x21-\x7e]+$/.test(key)) throw new TypeError('apiKey holds characters that no key has');
  return key;
}

function environment(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } };
  const value = process?.env?.[name];
  return value === '' ? undefined : value;
}

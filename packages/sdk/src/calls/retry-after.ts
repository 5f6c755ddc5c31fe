/**
 * Owns the back-off of a refused call. `x-ratelimit-reset` is an instant on the gate's clock, and this machine's may be
 * wrong by an hour. So it is compared with the answer's own `Date`. If that fails, `Retry-After` counts, which needs no
 * clock. This machine's clock is the last resort.
 */

/** The gate counts by the minute. A longer wait is wrong, or not from a gate. */
const LONGEST_MS = 65_000;
const SHORTEST_MS = 100;
/** Used when no wait in the answer is plausible. */
const FALLBACK_MS = 1000;

/** Milliseconds, between 0.1 and 65 s. Null when the answer names no wait. */
export function retryAfterMs(status: number, headers: Headers, nowMs = Date.now()): number | null {
  const estimates = status === 429 ? rateLimitEstimates(headers, nowMs) : [secondsHeader(headers)];
  const said = estimates.filter((ms) => ms !== undefined);
  if (said.length === 0) return null;
  const plausible = said.find((ms) => ms >= 0 && ms <= LONGEST_MS);
  if (plausible !== undefined) return Math.max(plausible, SHORTEST_MS);
  return said.every((ms) => ms > LONGEST_MS) ? LONGEST_MS : FALLBACK_MS;
}

/** Best first. */
function rateLimitEstimates(headers: Headers, nowMs: number): (number | undefined)[] {
  const reset = toNumber(headers.get('x-ratelimit-reset'));
  const resetMs = reset === undefined ? undefined : reset * 1000;
  // Date is truncated to the second, so the wait can only come out too long, by less than a second.
  const date = Date.parse(headers.get('date') ?? '');
  return [
    resetMs === undefined || Number.isNaN(date) ? undefined : resetMs - date,
    secondsHeader(headers),
    resetMs === undefined ? undefined : resetMs - nowMs,
  ];
}

/** `Retry-After` in seconds (RFC 9110 §10.2.3). Its form as a date would need a clock again. */
function secondsHeader(headers: Headers): number | undefined {
  const seconds = toNumber(headers.get('retry-after'));
  return seconds === undefined ? undefined : seconds * 1000;
}

function toNumber(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text.trim()) ? Number(text) : undefined;
}

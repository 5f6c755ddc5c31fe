/**
 * How long a refused call is to wait. `x-ratelimit-reset` is an instant on the gate's clock, and this machine's may be
 * wrong by an hour: so it is held against the answer's own `Date`, else `Retry-After` is believed, which needs no clock.
 * Only then this machine's clock is asked.
 */

/** The gate counts by the minute; whatever asks for more than this is wrong, or not a gate. */
const LONGEST_MS = 65_000;
const SHORTEST_MS = 100;
/** When nothing of what was said is believable. */
const FALLBACK_MS = 1000;

/** Milliseconds, between 0.1 and 65 s; null when the answer says nothing of the kind. */
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
  // Date is cut to the second, so the wait can only come out too long, by less than one.
  const date = Date.parse(headers.get('date') ?? '');
  return [
    resetMs === undefined || Number.isNaN(date) ? undefined : resetMs - date,
    secondsHeader(headers),
    resetMs === undefined ? undefined : resetMs - nowMs,
  ];
}

/** `Retry-After` in seconds (RFC 9110 §10.2.3); its form as a date would need a clock again. */
function secondsHeader(headers: Headers): number | undefined {
  const seconds = toNumber(headers.get('retry-after'));
  return seconds === undefined ? undefined : seconds * 1000;
}

function toNumber(text: string | null): number | undefined {
  return text !== null && /^\d{1,15}$/.test(text.trim()) ? Number(text) : undefined;
}

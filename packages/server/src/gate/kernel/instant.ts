/** ISO 8601 in UTC with milliseconds and `Z`, e.g. `2026-11-20T05:37:00.000Z`. Compares as text. */
export type Instant = string;

/** @example addSeconds('2026-11-20T00:00:00.000Z', 300) === '2026-11-20T00:05:00.000Z' */
export function addSeconds(instant: Instant, seconds: number): Instant {
  return new Date(Date.parse(instant) + seconds * 1000).toISOString();
}

export function fromEpochSeconds(seconds: number): Instant {
  return new Date(seconds * 1000).toISOString();
}

export function millisecondsBetween(from: Instant, to: Instant): number {
  return Date.parse(to) - Date.parse(from);
}

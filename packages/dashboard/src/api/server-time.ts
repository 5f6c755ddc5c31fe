/** The difference between the server's clock and this device's, learned from responses. Countdowns use the server's. */

let offsetMs = 0;

/** Smaller differences come from network delay, and the `Date` header has whole seconds only. */
const WORTH_MS = 2500;

export function learnServerTime(dateHeader: string | null): void {
  const at = Date.parse(dateHeader ?? '');
  if (Number.isNaN(at)) return;
  const difference = at + 500 - Date.now();
  offsetMs = Math.abs(difference) < WORTH_MS ? 0 : difference;
}

/** Milliseconds to add to `Date.now()`. */
export function serverOffsetMs(): number {
  return offsetMs;
}

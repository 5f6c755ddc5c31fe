/** How far the server's clock is from this device's, learned from its answers: countdowns go by the server's. */

let offsetMs = 0;

/** Smaller differences are the network's, and the `Date` header has whole seconds. */
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

/**
 * Tells whether a person is using this page. Requests that the page sends on its own must not keep an unused session
 * alive.
 */

const AWAY_MS = 5 * 60_000;

let lastTouchedAt = Date.now();

for (const event of ['pointerdown', 'keydown', 'wheel', 'touchstart'] as const) {
  addEventListener(event, () => (lastTouchedAt = Date.now()), { capture: true, passive: true });
}

/**
 * Marks a request as unattended after five minutes without input. The gate then does not count it as use of the
 * session.
 */
export function attendanceHeaders(): Readonly<Record<string, string>> {
  return Date.now() - lastTouchedAt > AWAY_MS ? { 'x-permitry-unattended': '1' } : {};
}

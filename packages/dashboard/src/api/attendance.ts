/** Whether somebody is at this page: what it asks of itself must not keep a session alive that nobody uses. */

const AWAY_MS = 5 * 60_000;

let lastTouchedAt = Date.now();

for (const event of ['pointerdown', 'keydown', 'wheel', 'touchstart'] as const) {
  addEventListener(event, () => (lastTouchedAt = Date.now()), { capture: true, passive: true });
}

/** Headers of a request that nobody is there to have asked for: the gate does not count it as use. */
export function attendanceHeaders(): Readonly<Record<string, string>> {
  return Date.now() - lastTouchedAt > AWAY_MS ? { 'x-permitry-unattended': '1' } : {};
}

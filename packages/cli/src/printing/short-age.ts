/** How long until an instant, or since it, in the largest unit that says it: `12m`, `3h`, `2d`; `now` below a second. */
export function shortAge(instant: string, now = Date.now()): string {
  const seconds = Math.floor(Math.abs(Date.parse(instant) - now) / 1000);
  if (seconds < 1) return 'now';
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)}m`;
  if (seconds < 172_800) return `${Math.floor(seconds / 3600)}h`;
  return `${Math.floor(seconds / 86_400)}d`;
}

import { addSeconds, type Instant, millisecondsBetween } from '../kernel/instant.ts';

/** The share of its lifetime that is left when people are reminded, and the bounds of that time. */
const SHARE_LEFT = 0.2;
const LEAST_LEFT_SECONDS = 10 * 60;
const MOST_LEFT_SECONDS = 24 * 60 * 60;
/** People who were notified just now need no reminder. */
const SHORTEST_LIFETIME_SECONDS = 5 * 60;

/**
 * When to remind the approvers who have not decided: with a fifth of the time left. The reminder comes between ten
 * minutes and a day before the end, but never in the first half of the lifetime. Null for an intent with too short a
 * lifetime.
 */
export function reminderTime({
  createdAt,
  expiresAt,
}: {
  createdAt: Instant;
  expiresAt: Instant;
}): Instant | null {
  const lifetime = millisecondsBetween(createdAt, expiresAt) / 1000;
  if (lifetime < SHORTEST_LIFETIME_SECONDS) return null;
  const wished = Math.min(Math.max(lifetime * SHARE_LEFT, LEAST_LEFT_SECONDS), MOST_LEFT_SECONDS);
  return addSeconds(expiresAt, -Math.min(wished, lifetime / 2));
}

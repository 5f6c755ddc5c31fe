import { addSeconds, type Instant, millisecondsBetween } from '../kernel/instant.ts';

/** The share of an intent's lifetime that is left at the reminder, and the bounds of the time left. */
const SHARE_LEFT = 0.2;
const LEAST_LEFT_SECONDS = 10 * 60;
const MOST_LEFT_SECONDS = 24 * 60 * 60;
/** An intent with a shorter lifetime gets no reminder, because the first notification is still new. */
const SHORTEST_LIFETIME_SECONDS = 5 * 60;

/**
 * When to remind the approvers who have not decided: with a fifth of the lifetime left. The reminder comes between ten
 * minutes and a day before the expiry, but never in the first half of the lifetime. Null for an intent with too short a
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

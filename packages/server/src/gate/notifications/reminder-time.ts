import { addSeconds, type Instant, millisecondsBetween } from '../kernel/instant.ts';

/** Of its lifetime, what is left when people are reminded; and the bounds of it. */
const SHARE_LEFT = 0.2;
const LEAST_LEFT_SECONDS = 10 * 60;
const MOST_LEFT_SECONDS = 24 * 60 * 60;
/** Who was told just now needs no reminder. */
const SHORTEST_LIFETIME_SECONDS = 5 * 60;

/**
 * When those who have not decided are reminded: with a fifth of the time left, but no later than ten minutes and no
 * earlier than a day before the end, and never in the first half. Null for an intent that lives too short for it.
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

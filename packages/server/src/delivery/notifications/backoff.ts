import { addSeconds, type Instant } from '../../gate/instant.ts';

const FIRST_SECONDS = 15;
const LONGEST_SECONDS = 3600;
/** What nobody took for so long is given up. */
const GIVE_UP_AFTER_SECONDS = 24 * 60 * 60;

/**
 * When to try again after that many failed attempts: ever later, and never at the same instant for all that failed
 * together. Null: it is given up.
 *
 * @param random From 0 to 1.
 */
export function nextAttempt(
  { createdAt, attempts }: { createdAt: Instant; attempts: number },
  now: Instant,
  random: number,
  atLeastSeconds = 0,
): Instant | null {
  const wished = Math.min(FIRST_SECONDS * 2 ** Math.min(attempts, 20), LONGEST_SECONDS);
  const at = addSeconds(now, Math.max(wished * (0.5 + random), atLeastSeconds));
  return at > addSeconds(createdAt, GIVE_UP_AFTER_SECONDS) ? null : at;
}

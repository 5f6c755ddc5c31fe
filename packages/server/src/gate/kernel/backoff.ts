/** When a failed delivery is retried, and when it is given up. Pure. */
import { addSeconds, type Instant } from './instant.ts';

const LONGEST_SECONDS = 3600;
/** A delivery that fails for this long is given up. */
const GIVE_UP_SECONDS = 24 * 60 * 60;
/** A delivery that is still retried is younger than this. */
export const OVERDUE_SECONDS = GIVE_UP_SECONDS + 2 * LONGEST_SECONDS;

/** The length of the first wait, and the minimum that the receiver asked for (`Retry-After`). */
export interface Pace {
  firstSeconds: number;
  atLeastSeconds?: number | undefined;
}

/**
 * Increasing back-off with jitter, so that deliveries that failed together do not retry together. Null: give up.
 *
 * @param attempts How many attempts had failed before this one.
 * @param random From 0 to 1.
 */
export function nextAttemptAt(
  { createdAt, attempts }: { createdAt: Instant; attempts: number },
  now: Instant,
  random: number,
  { firstSeconds, atLeastSeconds = 0 }: Pace,
): Instant | null {
  const wished = Math.min(firstSeconds * 2 ** Math.min(attempts, 20), LONGEST_SECONDS);
  const at = addSeconds(now, Math.max(wished * (0.5 + random), atLeastSeconds));
  return at > addSeconds(createdAt, GIVE_UP_SECONDS) ? null : at;
}

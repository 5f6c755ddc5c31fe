/** When what somebody else did not take is tried again, and when it is given up. Pure. */
import { addSeconds, type Instant } from './instant.ts';

const LONGEST_SECONDS = 3600;
/** What nobody took for so long is given up. */
const GIVE_UP_SECONDS = 24 * 60 * 60;
/** So old is nothing that is still tried. */
export const OVERDUE_SECONDS = GIVE_UP_SECONDS + 2 * LONGEST_SECONDS;

/** How long the first wait is, and what the other side asked for (`Retry-After`). */
export interface Pace {
  firstSeconds: number;
  atLeastSeconds?: number | undefined;
}

/**
 * Ever later, and never at the same instant for all that failed together. Null: it is given up.
 *
 * @param attempts How many had failed before this one.
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

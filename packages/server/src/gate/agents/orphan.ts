/** What becomes of an agent's keys when its owner's membership ends (contract §3). */
import { addSeconds, type Instant } from '../kernel/instant.ts';

const DAY_SECONDS = 24 * 60 * 60;
/** How long keys go on that were made while the owner was a member. */
export const ORPHAN_SECONDS = 7 * DAY_SECONDS;
/** How long before that end admins are notified once more. */
export const ORPHAN_WARNING_SECONDS = DAY_SECONDS;

/** When a key ends because its agent's owner left; null for a key made later, and while the agent has its owner. */
export function endOfOrphan(keyCreatedAt: Instant, ownerLeftAt: Instant | null): Instant | null {
  return ownerLeftAt === null || keyCreatedAt > ownerLeftAt ? null : addSeconds(ownerLeftAt, ORPHAN_SECONDS);
}

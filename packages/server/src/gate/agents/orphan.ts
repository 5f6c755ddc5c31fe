/** What happens to an agent's keys when its owner's membership ends (contract §3). */
import { addSeconds, type Instant } from '../kernel/instant.ts';

const DAY_SECONDS = 24 * 60 * 60;
/** How long keys stay valid after the owner left, if they were created while the owner was a member. */
export const ORPHAN_SECONDS = 7 * DAY_SECONDS;
/** How long before that expiry admins are notified again. */
export const ORPHAN_WARNING_SECONDS = DAY_SECONDS;

/**
 * When a key expires because its agent's owner left. Null for a key created after that, and while the owner is a
 * member.
 */
export function endOfOrphan(keyCreatedAt: Instant, ownerLeftAt: Instant | null): Instant | null {
  return ownerLeftAt === null || keyCreatedAt > ownerLeftAt ? null : addSeconds(ownerLeftAt, ORPHAN_SECONDS);
}

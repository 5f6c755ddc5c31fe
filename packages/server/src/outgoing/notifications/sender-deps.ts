import type { NotificationDeps } from '../../gate/notifications/notification-deps.ts';

/** What sending notifications takes. */
export interface SenderDeps extends NotificationDeps {
  /** base_url: the stem of links. */
  issuer: string;
}

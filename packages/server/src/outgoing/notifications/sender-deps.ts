import type { NotificationDeps } from '../../gate/notifications/notification-deps.ts';

/** What a sender takes. */
export type SenderDeps = Pick<NotificationDeps, 'clock' | 'reach' | 'secretEncryption' | 'storage'> & {
  /** base_url: the stem of links. */
  issuer: string;
};

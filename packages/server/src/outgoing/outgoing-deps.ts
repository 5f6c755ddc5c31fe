import type { AfterCommit, Storage } from '../gate/kernel/storage.ts';
import type { NotificationDeps } from '../gate/notifications/notification-deps.ts';
import type { WebhookDeps } from '../gate/webhooks/webhook-deps.ts';

type StorageOf<Deps> = Deps extends { storage: Storage<infer Reads, infer Writes> } ? [Reads, Writes] : never;
type Reads = StorageOf<NotificationDeps>[0] & StorageOf<WebhookDeps>[0];
type Writes = StorageOf<NotificationDeps>[1] & StorageOf<WebhookDeps>[1];

/** Dependencies of sending, on any channel. */
export interface OutgoingDeps extends Omit<NotificationDeps, 'storage'> {
  storage: Storage<Reads, Writes>;
}

export type OutgoingTransaction = Reads & Writes & AfterCommit;

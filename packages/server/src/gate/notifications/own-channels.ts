import type { SessionCaller } from '../access/caller.ts';
import { type NewDelivery, newDelivery, type OutboxWriter } from '../outbox/delivery.ts';
import type { NotificationReader } from './notification.ts';
import type { NotificationDeps } from './notification-deps.ts';

/** How many messages were queued, by channel. */
export interface QueuedTests {
  mail: number;
  push: number;
}

/** Queues a message on every channel that the person has, whatever their preferences. Returns how many were queued. */
export async function tellOwnChannels(
  gate: Pick<NotificationDeps, 'clock' | 'ids' | 'reach'>,
  tx: NotificationReader & OutboxWriter,
  userId: string,
  said: Pick<NewDelivery, 'kind' | 'causeId'> & Partial<NewDelivery>,
): Promise<QueuedTests> {
  const devices = await tx.listPushSubscriptions(userId);
  const tell = (channel: 'mail' | 'push', target: string) =>
    tx.insertDelivery(newDelivery(gate, { ...said, userId, channel, target }));
  if (gate.reach.mail) await tell('mail', userId);
  for (const { id } of devices) await tell('push', id);
  return { mail: gate.reach.mail ? 1 : 0, push: devices.length };
}

/** Queues a test message on every channel that the person has. Returns how many were queued, by channel. */
export function testOwnChannels(gate: NotificationDeps, { user }: SessionCaller): Promise<QueuedTests> {
  const test = { kind: 'test', causeId: gate.ids.next('ntc') };
  return gate.storage.transaction((tx) => tellOwnChannels(gate, tx, user.id, test));
}

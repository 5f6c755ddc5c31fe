import type { SessionCaller } from '../access/caller.ts';
import type { NotificationDeps } from './notification-deps.ts';

/** How many messages were queued, by channel. */
export interface QueuedTests {
  mail: number;
  push: number;
}

/** Sends a test message by every channel the person has, and says how many there are. */
export async function testOwnChannels(gate: NotificationDeps, { user }: SessionCaller): Promise<QueuedTests> {
  const now = gate.clock.now();
  const notification = {
    causeId: gate.ids.next('ntc'),
    kind: 'test' as const,
    userId: user.id,
    projectId: null,
    intentId: null,
    detail: {},
    createdAt: now,
    dueAt: now,
  };
  return gate.storage.transaction(async (tx) => {
    const devices = await tx.listPushSubscriptions(user.id);
    if (gate.reach.mail) await tx.insertNotification({ ...notification, channel: 'mail', target: user.id });
    for (const { id } of devices)
      await tx.insertNotification({ ...notification, channel: 'push', target: id });
    return { mail: gate.reach.mail ? 1 : 0, push: devices.length };
  });
}

import { OVERDUE_SECONDS } from '../kernel/backoff.ts';
import { addSeconds, type Instant } from '../kernel/instant.ts';
import { sweep } from '../kernel/sweep.ts';
import type { Channel, Delivery, OutboxReader } from './delivery.ts';
import type { OutboxDeps } from './outbox-deps.ts';

/**
 * Gives up deliveries that waited too long, and deletes finished deliveries past their retention. Returns how many were
 * given up.
 */
export async function sweepDeliveries(
  gate: OutboxDeps,
  { channel, keptSeconds }: { channel: Channel; keptSeconds: number },
): Promise<number> {
  await sweep(gate, (tx, now, limit) =>
    tx.deleteDoneDeliveries(channel, addSeconds(now, -keptSeconds), limit),
  );
  return giveUpAll(gate, 'It could not be sent for a day.', (tx, now, limit) =>
    tx.listOverdueDeliveries(channel, addSeconds(now, -OVERDUE_SECONDS), now, limit),
  );
}

/** Gives up all listed deliveries, except those that a sender has leased. Returns how many were given up. */
export function giveUpAll<Reads, Writes>(
  gate: OutboxDeps<Reads, Writes>,
  lastError: string,
  list: (tx: OutboxReader & Reads, now: Instant, limit: number) => Promise<readonly Delivery[]>,
): Promise<number> {
  return sweep(gate, async (tx, now, limit) => {
    let ended = 0;
    for (const delivery of await list(tx, now, limit)) {
      if (await tx.finishDelivery(delivery, null, 'failed', now, { ...delivery, lastError })) ended += 1;
    }
    return ended;
  });
}

import type { Gate } from '../gate.ts';
import { addSeconds } from '../instant.ts';
import type { Delivery, Webhook } from './webhook.ts';

/** Longer than any attempt. Whoever dies with a delivery in hand loses it after that, and another gate goes on. */
const LEASE_SECONDS = 20;

/**
 * Takes what is due for one webhook, so that no other gate does; at most `most` of it. While its circuit is about to
 * close, one delivery is taken by one gate, to see.
 *
 * @param by Who takes it: another name for each gate.
 */
export async function claimDeliveries(
  gate: Gate,
  { id: webhookId, projectId, openUntil }: Webhook,
  by: string,
  most: number,
): Promise<Delivery[]> {
  const now = gate.clock.now();
  const until = addSeconds(now, LEASE_SECONDS);
  const due = await gate.committed.listDueDeliveries(
    projectId,
    webhookId,
    now,
    openUntil === null ? most : 1,
  );
  if (due.length === 0) return [];
  return gate.storage.transaction(
    async (tx) => {
      if (openUntil !== null && !(await tx.takeProbe(webhookId, openUntil, until))) return [];
      const taken: Delivery[] = [];
      for (const delivery of due) {
        if (await tx.leaseDelivery(delivery.place, by, now, until)) taken.push(delivery);
      }
      return taken;
    },
    { guarded: true },
  );
}

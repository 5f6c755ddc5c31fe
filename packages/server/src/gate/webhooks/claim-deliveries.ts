import { addSeconds } from '../kernel/instant.ts';
import type { LeasedDelivery, Webhook } from './webhook.ts';
import type { WebhookDeps } from './webhook-deps.ts';

/** From the connection to the last byte of the answer. Whoever sends gives up after that. */
export const LONGEST_ATTEMPT_SECONDS = 15;

/** Longer than any attempt. Whoever dies with a delivery in hand loses it after that, and another gate goes on. */
const LEASE_SECONDS = 20;

/** Between an attempt that is given up and the end of the lease. */
const SPARE_SECONDS = 1;

/**
 * Takes what is due for one webhook, so that no other gate does; at most `most` of it. While its circuit is about to
 * close, one delivery is taken by one gate, to see.
 */
export async function claimDeliveries(
  gate: WebhookDeps,
  { id: webhookId, projectId, openUntil }: Webhook,
  most: number,
): Promise<LeasedDelivery[]> {
  const now = gate.clock.now();
  const leasedUntil = addSeconds(now, LEASE_SECONDS);
  const holder = gate.ids.salt();
  const due = await gate.storage.read.listDueDeliveries(
    projectId,
    webhookId,
    now,
    openUntil === null ? most : 1,
  );
  if (due.length === 0) return [];
  return gate.storage.transaction(
    async (tx) => {
      if (openUntil !== null && !(await tx.takeProbe(webhookId, openUntil, leasedUntil))) return [];
      const claimed = await Promise.all(
        due.map(async (delivery) => {
          const isOurs = await tx.leaseDelivery(delivery.position, holder, now, leasedUntil);
          return isOurs ? [{ ...delivery, holder, leasedUntil }] : [];
        }),
      );
      return claimed.flat();
    },
    { guarded: true },
  );
}

/**
 * Whether an attempt that begins now may end after the lease, when another gate has sent the delivery, and what comes
 * behind it: so it is with a gate that was stopped for a while, or waited for the database.
 */
export function isTooLateToSend(gate: Pick<WebhookDeps, 'clock'>, { leasedUntil }: LeasedDelivery): boolean {
  return gate.clock.now() > addSeconds(leasedUntil, -LONGEST_ATTEMPT_SECONDS - SPARE_SECONDS);
}

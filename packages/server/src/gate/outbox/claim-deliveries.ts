import { addSeconds } from '../kernel/instant.ts';
import type { Channel, LeasedDelivery } from './delivery.ts';
import type { OutboxDeps } from './outbox-deps.ts';

/**
 * Leases the due deliveries of one target, so that no other gate sends them.
 *
 * @param due.limit The most deliveries to lease.
 * @param leaseSeconds Longer than any attempt. If a gate dies during its lease, another gate takes the delivery after
 * this time.
 */
export async function claimDeliveries(
  gate: OutboxDeps,
  due: { channel: Channel; target: string; limit: number },
  leaseSeconds: number,
): Promise<LeasedDelivery[]> {
  const now = gate.clock.now();
  const leasedUntil = addSeconds(now, leaseSeconds);
  const holder = gate.ids.salt();
  const found = await gate.storage.read.listDueDeliveries({ ...due, now });
  if (found.length === 0) return [];
  const claimed = await gate.storage.transaction(
    (tx) =>
      Promise.all(
        found.map(async (delivery) => {
          const isOurs = await tx.leaseDelivery(delivery.position, holder, now, leasedUntil);
          return isOurs ? [{ ...delivery, holder, leasedUntil }] : [];
        }),
      ),
    { guarded: true },
  );
  return claimed.flat();
}

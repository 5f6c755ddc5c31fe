import { OVERDUE_SECONDS } from '../kernel/backoff.ts';
import { addSeconds } from '../kernel/instant.ts';
import { sweep } from '../kernel/sweep.ts';
import type { Delivery } from './webhook.ts';
import type { WebhookDeps } from './webhook-deps.ts';

const AT_ONCE = 100;
/** So long it is known what was sent, and how it went. */
const KEPT_SECONDS = 30 * 24 * 60 * 60;

/** Ends what waits in vain: too long already, or for a webhook that is disabled. Answers how many it gave up. */
export async function giveUpStranded(gate: Pick<WebhookDeps, 'clock' | 'storage'>): Promise<number> {
  const { clock } = gate;
  const { read } = gate.storage;
  const before = (): string => addSeconds(clock.now(), -OVERDUE_SECONDS);
  const overdue = await giveUpAll(gate, 'Nothing was sent there for a day.', () =>
    read.listOverdueDeliveries(before(), clock.now(), AT_ONCE),
  );
  const stranded = await giveUpAll(gate, 'The webhook was disabled.', () =>
    read.listStrandedDeliveries(AT_ONCE),
  );
  return overdue + stranded;
}

/** Deletes what was done long ago, and what belongs to webhooks that were deleted. */
export async function forgetOldDeliveries(gate: Pick<WebhookDeps, 'clock' | 'storage'>): Promise<void> {
  await sweep(gate, (tx, now, limit) => tx.deleteDoneDeliveries(addSeconds(now, -KEPT_SECONDS), limit));
  await sweep(gate, (tx, _, limit) => tx.deleteDeliveriesOfDeleted(limit));
}

async function giveUpAll(
  gate: Pick<WebhookDeps, 'clock' | 'storage'>,
  why: string,
  list: () => Promise<readonly Delivery[]>,
): Promise<number> {
  let given = 0;
  for (;;) {
    const deliveries = await list();
    const ended = deliveries.length === 0 ? 0 : await giveUp(gate, deliveries, why);
    given += ended;
    // What is just being tried is left to whoever tries it.
    if (ended === 0) return given;
  }
}

function giveUp(
  gate: Pick<WebhookDeps, 'clock' | 'storage'>,
  deliveries: readonly Delivery[],
  why: string,
): Promise<number> {
  const now = gate.clock.now();
  return gate.storage.transaction(async (tx) => {
    let ended = 0;
    for (const delivery of deliveries) {
      const { attempts, attemptCount, lastStatus } = delivery;
      const record = { attempts, attemptCount, lastStatus, lastError: why };
      if (await tx.finishDelivery(delivery, null, 'failed', now, record)) ended += 1;
    }
    return ended;
  });
}

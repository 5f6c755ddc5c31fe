import { sweep } from '../kernel/sweep.ts';
import { giveUpAll } from '../outbox/sweep-outbox.ts';
import type { WebhookDeps } from './webhook-deps.ts';

/** Ends what waits for webhooks that are disabled, and deletes what belongs to deleted ones. Answers how many were given up. */
export async function sweepWebhooks(gate: Pick<WebhookDeps, 'clock' | 'ids' | 'storage'>): Promise<number> {
  await sweep(gate, (tx, _, limit) => tx.deleteDeliveriesOfDeleted(limit));
  return giveUpAll(gate, 'The webhook was disabled.', (tx, _, limit) => tx.listStrandedDeliveries(limit));
}

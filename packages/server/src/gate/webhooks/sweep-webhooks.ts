import { sweep } from '../kernel/sweep.ts';
import { giveUpAll } from '../outbox/sweep-outbox.ts';
import type { WebhookDeps } from './webhook-deps.ts';

/**
 * Gives up deliveries that wait for disabled webhooks, and deletes data of deleted webhooks. Returns how many were
 * given up.
 */
export async function sweepWebhooks(gate: Pick<WebhookDeps, 'clock' | 'ids' | 'storage'>): Promise<number> {
  await sweep(gate, (tx, _, limit) => tx.deleteDeliveriesOfDeleted(limit));
  return giveUpAll(gate, 'The webhook was disabled.', (tx, _, limit) => tx.listStrandedDeliveries(limit));
}

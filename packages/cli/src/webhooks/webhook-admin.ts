/** Owns where webhooks are administered: on the gate's own storage as its operator, or at a gate elsewhere as a person. */
import type { DeliveryState, toWireDelivery, toWireWebhook } from '@permitry/server/webhooks';
import type { AdminFlags } from '../command-options.ts';
import type { ConnectionFlags } from '../profile/read-profile.ts';

export type Webhook = ReturnType<typeof toWireWebhook>;
export type Delivery = ReturnType<typeof toWireDelivery>;

export interface Replayed {
  replay_id: string;
  queued: number;
  /** Where to go on; null: nothing is left. */
  next_after_seq: number | null;
}

/** In the API's own words, whoever asks: what `--json` shows is the same of both. */
export interface WebhookAdmin {
  list(): Promise<Webhook[]>;
  add(webhook: {
    url: string;
    event_types?: string[];
    description?: string;
  }): Promise<Webhook & { secret: string }>;
  test(webhookId: string): Promise<Delivery>;
  /** Newest first. */
  deliveries(webhookId: string, wanted: { state?: DeliveryState; limit: number }): Promise<Delivery[]>;
  replay(
    webhookId: string,
    range: { from?: string; to?: string; after_seq?: number; event_types?: string[] },
  ): Promise<Replayed>;
  replayDelivery(webhookId: string, deliveryId: string): Promise<Delivery>;
  rotate(webhookId: string, overlapSeconds?: number): Promise<Webhook & { secret: string }>;
  remove(webhookId: string): Promise<void>;
}

export type WebhookFlags = AdminFlags & ConnectionFlags;

/** With `--url` at that gate, else in the data directory or database. */
export async function withWebhookAdmin(
  flags: WebhookFlags,
  work: (admin: WebhookAdmin) => Promise<void>,
): Promise<void> {
  if (flags.url !== undefined) {
    const { openHttpAdmin } = await import('./http-admin.ts');
    return work(await openHttpAdmin(flags));
  }
  const { withGateAdmin } = await import('./gate-admin.ts');
  return withGateAdmin(flags, work);
}

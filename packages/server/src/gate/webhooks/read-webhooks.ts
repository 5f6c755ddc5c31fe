import { assertScope } from '../access/assert-scope.ts';
import type { Caller } from '../access/caller.ts';
import { unknownDelivery, unknownWebhook } from '../kernel/not-found.ts';
import { type Page, type PageRequest, pageByIds, pageOfSet } from '../kernel/page.ts';
import type { DeliverySummary, Webhook, WebhookDelivery, WebhookDeliveryState } from './webhook.ts';
import type { WebhookDeps } from './webhook-deps.ts';

interface Named {
  projectId: string;
  webhookId: string;
}

export async function listWebhooks(
  gate: Pick<WebhookDeps, 'storage'>,
  caller: Caller,
  { projectId, ...page }: { projectId: string } & PageRequest,
): Promise<Page<Webhook>> {
  assertScope(caller, 'webhooks:read', projectId);
  return pageOfSet(page, await gate.storage.read.listWebhooks(projectId), ({ id }) => id);
}

/** @throws GateError `not_found` */
export async function getWebhook(
  gate: Pick<WebhookDeps, 'storage'>,
  caller: Caller,
  { projectId, webhookId }: Named,
): Promise<Webhook> {
  assertScope(caller, 'webhooks:read', projectId);
  const webhook = await gate.storage.read.findWebhook(projectId, webhookId);
  if (!webhook) throw unknownWebhook();
  return webhook;
}

/** Sent and pending deliveries, newest first. @throws GateError `not_found` */
export async function listDeliveries(
  gate: Pick<WebhookDeps, 'storage'>,
  caller: Caller,
  { state, replayId, ...input }: Named & PageRequest & { state?: WebhookDeliveryState; replayId?: string },
): Promise<Page<DeliverySummary>> {
  const { projectId, id: webhookId } = await getWebhook(gate, caller, input);
  return pageByIds(input, 'dlv_', (page) =>
    gate.storage.read.listDeliveries({
      projectId,
      webhookId,
      ...page,
      ...(state === undefined ? {} : { state }),
      ...(replayId === undefined ? {} : { replayId }),
    }),
  );
}

/** @throws GateError `not_found` */
export async function getDelivery(
  gate: Pick<WebhookDeps, 'storage'>,
  caller: Caller,
  { deliveryId, ...named }: Named & { deliveryId: string },
): Promise<WebhookDelivery> {
  const { projectId, id: webhookId } = await getWebhook(gate, caller, named);
  const delivery = await gate.storage.read.findDelivery(projectId, webhookId, deliveryId);
  if (!delivery) throw unknownDelivery();
  return delivery;
}

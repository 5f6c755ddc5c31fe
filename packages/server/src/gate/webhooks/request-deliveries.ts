import { assertScope } from '../access/assert-scope.ts';
import { type Caller, toActor } from '../access/caller.ts';
import { recordEvent } from '../audit/record-event.ts';
import { GateError } from '../kernel/errors.ts';
import type { Remember } from '../kernel/idempotency.ts';
import { unknownDelivery, unknownWebhook } from '../kernel/not-found.ts';
import { type NewDelivery, newDelivery, type OutboxReader, TEST_TYPE } from '../outbox/delivery.ts';
import { getDelivery, getWebhook } from './read-webhooks.ts';
import type { DeliverySummary, Webhook, WebhookReader } from './webhook.ts';
import type { WebhookDeps } from './webhook-deps.ts';

/**
 * While this many deliveries wait for a webhook, the gate adds no further range. So a caller that repeats requests
 * cannot fill the disk.
 */
const MOST_WAITING = 10_000;
const WAIT_SECONDS = 60;

interface Named {
  projectId: string;
  webhookId: string;
}

/**
 * Queues requested deliveries. Refused for a disabled webhook. The caller believes that the endpoint is reachable
 * again, so the gate does not wait until the circuit closes.
 *
 * @throws GateError `not_found`, `conflict` for a disabled webhook, `rate_limited` for several deliveries while many
 * wait
 */
export async function requestDeliveries<T>(
  gate: WebhookDeps,
  caller: Caller,
  { projectId, webhookId }: Named,
  deliveries: readonly NewDelivery[],
  replay: { replay_id: string; delivery_id?: string } | null,
  resultOf: (tx: WebhookReader) => Promise<T>,
  remember?: Remember<T>,
): Promise<T> {
  return gate.storage.transaction(async (tx) => {
    const webhook = await tx.findWebhook(projectId, webhookId);
    if (!webhook) throw unknownWebhook();
    if (webhook.disabledAt !== null)
      throw new GateError('conflict', 'This webhook is disabled; enable it first.', {});
    if (deliveries.length > 1) await assertFewWait(tx, webhook);
    for (const delivery of deliveries) await tx.insertDelivery(delivery);
    if (deliveries.length > 0) await tx.letWebhookThrough(webhookId);
    if (replay) {
      await recordEvent(gate, tx, {
        projectId,
        type: 'webhook.replayed',
        occurredAt: gate.clock.now(),
        actor: toActor(caller),
        data: { webhook_id: webhookId, ...replay, queued: deliveries.length },
      });
    }
    const result = await resultOf(tx);
    await remember?.(tx, result);
    return result;
  });
}

async function assertFewWait(tx: OutboxReader, { id }: Webhook): Promise<void> {
  if ((await tx.countWaitingFor('webhook', id, MOST_WAITING + 1)) <= MOST_WAITING) return;
  throw new GateError(
    'rate_limited',
    `More than ${MOST_WAITING} deliveries are queued for this webhook; continue when they have been sent.`,
    { retry_after_seconds: WAIT_SECONDS },
  );
}

/**
 * Sends a delivered or failed delivery again. Receivers recognise it by its `webhook-id`, which stays the same.
 *
 * @throws GateError `not_found`, `forbidden`, `conflict` while the delivery still waits, or the webhook is disabled
 */
export async function replayDelivery(
  gate: WebhookDeps,
  caller: Caller,
  { deliveryId, ...named }: Named & { deliveryId: string },
  remember?: Remember<DeliverySummary>,
): Promise<DeliverySummary> {
  assertScope(caller, 'webhooks:replay', named.projectId);
  const original = await getDelivery(gate, caller, { ...named, deliveryId });
  if (original.state === 'waiting')
    throw new GateError('conflict', 'This delivery is still pending. It is retried automatically.', {});
  const { channel, target, causeId, projectId, intentId, eventSeq, eventType } = original;
  const replayId = gate.ids.next('rpl');
  const kind = original.kind === 'test' ? 'test' : 'replay';
  const sent = { channel, target, causeId, projectId, intentId, eventSeq, eventType };
  const fresh = newDelivery(gate, { ...sent, kind, replayId });
  const replay = { replay_id: replayId, delivery_id: deliveryId };
  return requestDeliveries(gate, caller, named, [fresh], replay, findFresh(named, fresh), remember);
}

/**
 * Tests the webhook with its current settings. The delivery shows the result.
 *
 * @throws GateError `not_found`, `forbidden`, `conflict` for a disabled webhook
 */
export async function testWebhook(
  gate: WebhookDeps,
  caller: Caller,
  named: Named,
  remember?: Remember<DeliverySummary>,
): Promise<DeliverySummary> {
  assertScope(caller, 'webhooks:replay', named.projectId);
  const { projectId, id: webhookId } = await getWebhook(gate, caller, named);
  const test = { kind: 'test', causeId: null, eventType: TEST_TYPE } as const;
  const delivery = newDelivery(gate, { channel: 'webhook', target: webhookId, projectId, ...test });
  return requestDeliveries(gate, caller, named, [delivery], null, findFresh(named, delivery), remember);
}

/** The delivery as the transaction that stores it sees it. */
function findFresh({ projectId, webhookId }: Named, { id }: NewDelivery) {
  return async (tx: WebhookReader): Promise<DeliverySummary> => {
    const delivery = await tx.findDelivery(projectId, webhookId, id);
    if (!delivery) throw unknownDelivery();
    return delivery;
  };
}

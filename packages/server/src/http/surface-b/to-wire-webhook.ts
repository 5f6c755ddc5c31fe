import type {
  WebhookDeliveryDetail,
  WebhookDeliverySchema,
  WebhookReplaySchema,
  WebhookSchema,
} from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import { openAddress } from '../../gate/webhooks/address.ts';
import type { WebhookPayload } from '../../gate/webhooks/payload.ts';
import type { Replay } from '../../gate/webhooks/replay-range.ts';
import type { DeliverySummary, Webhook, WebhookDelivery } from '../../gate/webhooks/webhook.ts';
import type { GateParts } from '../../open-gate.ts';

export function toWireWebhook(gate: GateParts, webhook: Webhook): Static<typeof WebhookSchema> {
  const now = gate.clock.now();
  const ends = webhook.secrets.flatMap(({ until }) => (until !== null && until > now ? [until] : []));
  const { openUntil } = webhook;
  return {
    id: webhook.id,
    url: openAddress(gate, webhook) ?? null,
    description: webhook.description,
    event_types: webhook.eventTypes && [...webhook.eventTypes],
    enabled: webhook.disabledAt === null,
    disabled_at: webhook.disabledAt,
    disabled_reason: webhook.disabledReason,
    failing_since: webhook.failingSince,
    paused_until: openUntil !== null && openUntil > now ? openUntil : null,
    last_delivered_at: webhook.lastDeliveredAt,
    previous_secrets_end_at: ends.toSorted().at(-1) ?? null,
    created_at: webhook.createdAt,
    updated_at: webhook.updatedAt,
  };
}

export function toWireDelivery(delivery: DeliverySummary): Static<typeof WebhookDeliverySchema> {
  return {
    id: delivery.id,
    webhook_id: delivery.target,
    kind: delivery.kind,
    replay_id: delivery.replayId,
    event_id: delivery.causeId,
    event_seq: delivery.eventSeq,
    event_type: delivery.eventType,
    intent_id: delivery.intentId,
    state: delivery.state,
    next_attempt_at: delivery.dueAt,
    attempts: delivery.attemptCount,
    last_status: delivery.lastStatus,
    last_error: delivery.lastError,
    created_at: delivery.createdAt,
    done_at: delivery.doneAt,
  };
}

/** @param payload The payload as it would be sent now. Undefined: the event is not in the log. */
export function toWireDeliveryDetail(
  delivery: WebhookDelivery,
  payload: WebhookPayload | undefined,
): Static<typeof WebhookDeliveryDetail> {
  return {
    ...toWireDelivery(delivery),
    attempt_log: delivery.attempts.map(({ at, durationMs, status, error, response }) => ({
      at,
      duration_ms: durationMs,
      status,
      error,
      response,
    })),
    payload: payload ? { ...payload } : null,
  };
}

export function toWireReplay({ id, queued, nextAfterSeq }: Replay): Static<typeof WebhookReplaySchema> {
  return { replay_id: id, queued, next_after_seq: nextAfterSeq };
}

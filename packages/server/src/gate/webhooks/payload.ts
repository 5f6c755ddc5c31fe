/**
 * The payload: the sealed record, without the texts that may describe a person. The gate cannot erase data that it has
 * sent. A receiver that needs such a text reads the record with its own credential. The payload never contains a token
 * or a parameter, because the record contains none.
 */
import type { JsonObject, ProjectMode } from '@permitry/protocol';
import type { SealedEvent } from '../audit/audit-event.ts';
import { eventWithoutTexts } from '../erasure/erased-event.ts';
import { type Delivery, TEST_TYPE } from '../outbox/delivery.ts';
import type { WebhookDeps } from './webhook-deps.ts';

/** As Standard Webhooks defines the payload. `timestamp`: when the event happened. */
export interface WebhookPayload {
  type: string;
  timestamp: string;
  data: JsonObject;
}

/** Reads the current log, so it sends no text that was erased before. Undefined for an event that is not in the log. */
export async function readPayload(
  gate: Pick<WebhookDeps, 'projectSettings' | 'storage'>,
  projectId: string,
  delivery: Delivery,
): Promise<WebhookPayload | undefined> {
  const { eventSeq, causeId } = delivery;
  const { mode } = await gate.projectSettings.current(projectId);
  if (eventSeq === null) return toTestPayload(projectId, delivery, mode);
  const [event] = await gate.storage.read.listSealedEvents({
    projectId,
    order: 'asc',
    afterSeq: eventSeq - 1,
    throughSeq: eventSeq,
    limit: 1,
  });
  return event?.id === causeId ? toPayload(event, mode) : undefined;
}

function toPayload(event: SealedEvent, mode: ProjectMode): WebhookPayload {
  const texts = eventWithoutTexts(event);
  const { type, id } = event.actor;
  return {
    type: event.type,
    timestamp: event.occurredAt,
    data: {
      id: event.id,
      seq: event.seq,
      project_id: event.projectId,
      mode,
      intent_id: event.intentId,
      actor: { type, id, display: texts ? texts.display : event.actor.display },
      details: texts ? texts.data : event.data,
      hash: event.hash,
    },
  };
}

function toTestPayload(
  projectId: string,
  { target, createdAt }: Delivery,
  mode: ProjectMode,
): WebhookPayload {
  return {
    type: TEST_TYPE,
    timestamp: createdAt,
    data: { project_id: projectId, mode, webhook_id: target },
  };
}

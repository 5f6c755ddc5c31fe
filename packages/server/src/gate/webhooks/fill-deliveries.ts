/**
 * The reader of sealed events that creates a delivery for every webhook that wants the event. The reader's position
 * moves in the transaction that writes the deliveries.
 */

import { EVENT_TYPES, type EventType } from '@permitry/protocol';
import type { SealedEvent } from '../audit/audit-event.ts';
import { type NewDelivery, newDelivery, type OutboxWriter } from '../outbox/delivery.ts';
import type { LogReader } from '../outbox/log-reader.ts';
import { readSealed } from '../outbox/read-sealed.ts';
import { wantsType } from './wanted-types.ts';
import type { Webhook, WebhookDelivery } from './webhook.ts';
import type { WebhookDeps } from './webhook-deps.ts';

const READER = 'webhooks';

/**
 * Limits of one step: events to read, and deliveries to write (exceeded by at most one event). Low, so that other
 * transactions do not wait long.
 */
const PAGE = 200;
const MOST_ROWS = 400;

export function webhookLog(gate: WebhookDeps): LogReader {
  return {
    what: 'webhooks',
    everySeal: true,
    // Reads one page of each project in turn. So a log that grows faster than it is read does not delay other projects.
    async *read() {
      for (let isBehind = true; isBehind; ) {
        isBehind = false;
        for (const projectId of await gate.storage.read.listProjectsToDeliver(READER)) {
          const run = async () => {
            if ((await fillDeliveries(gate, projectId)) === 'more') isBehind = true;
          };
          yield { projectId, run };
        }
      }
    },
  };
}

/**
 * Processes the next events of a project, and returns whether there may be more. Two gates that read simultaneously
 * cannot create a delivery twice. The position moves by a guarded update, and the gate that comes second writes
 * nothing.
 */
export async function fillDeliveries(gate: WebhookDeps, projectId: string): Promise<'more' | 'caught_up'> {
  const webhooks = enabled(await gate.storage.read.listWebhooks(projectId));
  const types = wantedTypes(webhooks);
  const after = Math.min(...webhooks.map(({ afterSeq }) => afterSeq));
  const page = await readSealed(gate, { reader: READER, projectId }, { types, limit: PAGE, after });
  if (!page) return 'caught_up';
  const { position, headSeq, events, end } = page;
  // Guarded: a webhook that changes after this transaction has read it wants only events that are sealed later.
  return gate.storage.transaction(
    async (tx) => {
      const current = enabled(await tx.listWebhooks(projectId));
      // A webhook asked for another type since the scan, which did not read events of that type: scan the same range
      // again.
      if (wantedTypes(current).some((type) => !types.includes(type))) return 'more';
      const { deliveries, to } = plan(gate, events, current, end);
      if (!(await tx.moveReader(READER, projectId, position, to))) return 'more';
      await Promise.all(inLanes(deliveries).map((lane) => insertInOrder(tx, lane)));
      return to < headSeq ? 'more' : 'caught_up';
    },
    { guarded: true },
  );
}

/** Groups deliveries that must follow one another. Different groups may be written concurrently. */
function inLanes(deliveries: readonly NewDelivery[]): NewDelivery[][] {
  const lanes = new Map<string, NewDelivery[]>();
  for (const delivery of deliveries) {
    const { target, intentId, id } = delivery;
    const lane = `${target} ${intentId ?? id}`;
    lanes.set(lane, [...(lanes.get(lane) ?? []), delivery]);
  }
  return [...lanes.values()];
}

async function insertInOrder(tx: OutboxWriter, lane: readonly NewDelivery[]): Promise<void> {
  for (const delivery of lane) await tx.insertDelivery(delivery);
}

/** Plans deliveries for whole events only. The new position is the position of the last planned event. */
function plan(
  gate: Pick<WebhookDeps, 'clock' | 'ids'>,
  events: readonly SealedEvent[],
  webhooks: readonly Webhook[],
  end: number,
): { deliveries: NewDelivery[]; to: number } {
  const deliveries: NewDelivery[] = [];
  for (const event of events) {
    for (const { id: target, eventTypes, afterSeq } of webhooks) {
      if (event.seq > afterSeq && wantsType(eventTypes, event.type)) {
        deliveries.push(toDelivery(gate, event, { target, kind: 'event' }));
      }
    }
    if (deliveries.length >= MOST_ROWS) return { deliveries, to: event.seq };
  }
  return { deliveries, to: end };
}

export function toDelivery(
  gate: Pick<WebhookDeps, 'clock' | 'ids'>,
  { projectId, id: causeId, seq: eventSeq, type: eventType, intentId }: SealedEvent,
  to: { target: string; kind: WebhookDelivery['kind']; replayId?: string },
): NewDelivery {
  return newDelivery(gate, { channel: 'webhook', ...to, projectId, causeId, eventSeq, eventType, intentId });
}

function enabled(webhooks: readonly Webhook[]): readonly Webhook[] {
  return webhooks.filter(({ disabledAt }) => disabledAt === null);
}

function wantedTypes(webhooks: readonly Webhook[]): EventType[] {
  return EVENT_TYPES.filter((type) => webhooks.some(({ eventTypes }) => wantsType(eventTypes, type)));
}

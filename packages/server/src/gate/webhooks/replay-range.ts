import { EVENT_TYPES, type EventType } from '@permitry/protocol';
import { assertScope } from '../access/assert-scope.ts';
import type { Caller } from '../access/caller.ts';
import type { SealedEvent } from '../audit/audit-event.ts';
import type { Remember } from '../kernel/idempotency.ts';
import type { Instant } from '../kernel/instant.ts';
import { invalidFields } from '../kernel/invalid-fields.ts';
import { parseInstant } from '../kernel/parse-instant.ts';
import { toDelivery } from './fill-deliveries.ts';
import { getWebhook } from './read-webhooks.ts';
import { requestDeliveries } from './request-deliveries.ts';
import { findTypeProblems, wantsType } from './wanted-types.ts';
import type { Webhook } from './webhook.ts';
import type { WebhookDeps } from './webhook-deps.ts';

/** Limits for one call: the deliveries created in one transaction, and the events scanned for them. */
const MOST_REPLAYED = 1000;
const MOST_EXAMINED = 10_000;
/**
 * An expiry event has the time at which its intent expired, but may be written later. So in the log, an event may come
 * up to this many places after events of a later time.
 */
const LATE_BY = 1000;

export interface ReplayRange {
  projectId: string;
  webhookId: string;
  /** Inclusive. ISO 8601. */
  from?: string;
  /** Exclusive. ISO 8601. */
  to?: string;
  /** Only events after this `seq`. */
  afterSeq?: number;
  /** Default: the types that the webhook wants. */
  eventTypes?: readonly string[];
}

export interface Replay {
  /** `rpl_…`. Selects the deliveries of this replay in lists. */
  id: string;
  queued: number;
  /** Value of `afterSeq` for the next call. Null: no more events. */
  nextAfterSeq: number | null;
}

/**
 * Replays events of the log, also events that the webhook missed. One call replays at most 1,000, oldest first.
 *
 * @throws GateError `not_found`, `forbidden`, `invalid_fields`, `conflict` for a disabled webhook, `rate_limited` while
 * many deliveries wait for it
 */
export async function replayRange(
  gate: WebhookDeps,
  caller: Caller,
  range: ReplayRange,
  remember?: Remember<Replay>,
): Promise<Replay> {
  const { projectId, webhookId, afterSeq = 0 } = range;
  assertScope(caller, 'webhooks:replay', projectId);
  const webhook = await getWebhook(gate, caller, range);
  const from = parseInstant('/from', range.from);
  const to = parseInstant('/to', range.to);
  if (from === undefined && range.afterSeq === undefined)
    throw invalidFields({
      path: '/from',
      message: 'Is required, unless after_seq says where in the log to start.',
    });
  const types = typesOf(webhook, range.eventTypes);
  await gate.ledger.sealNow(projectId);
  const { read } = gate.storage;
  const last = (await read.findChainHead(projectId))?.seq ?? 0;
  const begin = Math.max(
    afterSeq,
    from === undefined ? 0 : await positionBefore(gate, projectId, from, last),
  );
  const end = Math.min(begin + MOST_EXAMINED, last);
  const found = await read.listSealedEvents({
    projectId,
    types,
    order: 'asc',
    afterSeq: begin,
    throughSeq: end,
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    limit: MOST_REPLAYED + 1,
  });
  const events = found.slice(0, MOST_REPLAYED);
  const stoppedAt = found.length > MOST_REPLAYED ? (events.at(-1)?.seq ?? end) : end;
  const id = gate.ids.next('rpl');
  const deliveries = events.map((event) =>
    toDelivery(gate, event, { target: webhookId, kind: 'replay', replayId: id }),
  );
  const isAll = stoppedAt >= last || (await isPast(gate, projectId, stoppedAt + 1, to));
  const replay = { id, queued: events.length, nextAfterSeq: isAll ? null : stoppedAt };
  const told = { replay_id: id };
  return requestDeliveries(gate, caller, range, deliveries, told, async () => replay, remember);
}

function typesOf(webhook: Webhook, eventTypes: readonly string[] | undefined): EventType[] {
  const problems = findTypeProblems(eventTypes ?? []);
  if (problems.length > 0) throw invalidFields(...problems);
  const wanted = eventTypes ?? webhook.eventTypes;
  return EVENT_TYPES.filter((type) => wantsType(wanted, type));
}

/**
 * A position in the chain before all events of that time or later. Uses a binary search, because no index covers times.
 */
async function positionBefore(
  gate: Pick<WebhookDeps, 'storage'>,
  projectId: string,
  time: Instant,
  last: number,
): Promise<number> {
  let [low, high] = [0, last];
  while (low < high) {
    const middle = Math.floor((low + high) / 2) + 1;
    const event = await eventAt(gate, projectId, middle);
    if (event && event.occurredAt < time) low = middle;
    else high = middle - 1;
  }
  return Math.max(0, low - LATE_BY);
}

async function isPast(
  gate: Pick<WebhookDeps, 'storage'>,
  projectId: string,
  seq: number,
  to: Instant | undefined,
): Promise<boolean> {
  if (to === undefined) return false;
  const event = await eventAt(gate, projectId, seq);
  return event !== undefined && event.occurredAt >= to;
}

async function eventAt(
  gate: Pick<WebhookDeps, 'storage'>,
  projectId: string,
  seq: number,
): Promise<SealedEvent | undefined> {
  const position = { afterSeq: seq - 1, throughSeq: seq, limit: 1 };
  const [event] = await gate.storage.read.listSealedEvents({ projectId, order: 'asc', ...position });
  return event;
}

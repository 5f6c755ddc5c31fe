/**
 * Owns everything that is to leave the gate, and its progress: mail, push and chat messages for people, and events for
 * webhooks. Readers of the sealed log write deliveries to the database. Senders read the deliveries from the database,
 * outside every request.
 */
import type { EventType, JsonObject } from '@permitry/protocol';
import type { Clock } from '../kernel/clock.ts';
import type { Ids } from '../kernel/ids.ts';
import type { Instant } from '../kernel/instant.ts';

export type Channel = 'mail' | 'push' | 'chat' | 'webhook';

/** `dropped`: there was nothing left to say when it was due. `failed`: the gate gave up. */
export type DeliveryState = 'waiting' | 'delivered' | 'dropped' | 'failed';

/** The type that a test delivery to a webhook carries. No event of the log has this type. */
export const TEST_TYPE = 'webhook.test';

/**
 * One message to send to one target. The texts of a request or event are not stored here: the sender reads them when it
 * sends the message.
 */
export interface NewDelivery {
  /** `dlv_…`. */
  id: string;
  channel: Channel;
  /** Mail: ID of the person. Push: of the subscription. Chat: of the project. Webhook: of the webhook. */
  target: string;
  /** To people: the kind of notification. To a webhook: `event`, `replay` or `test`. */
  kind: string;
  /** An event's ID, or a unique name, so that nobody is notified twice. Null: a test of a webhook. */
  causeId: string | null;
  /** Null: the message is not for a single person. */
  userId: string | null;
  /** Null: the message is about the person's account. */
  projectId: string | null;
  intentId: string | null;
  /** Data that cannot be read elsewhere later, e.g. the name of a passkey. Never a secret. */
  detail: JsonObject;
  /** For a webhook's event: its sequence number in the log. */
  eventSeq: number | null;
  eventType: EventType | typeof TEST_TYPE | null;
  /** For a replay: the ID of the call that requested it. */
  replayId: string | null;
  createdAt: Instant;
  /** The earliest time to send the delivery. */
  dueAt: Instant;
}

/** Omitted members become null, and the delivery is due at once. */
export function newDelivery(
  gate: { clock: Clock; ids: Ids },
  given: Pick<NewDelivery, 'channel' | 'target' | 'kind' | 'causeId'> & Partial<NewDelivery>,
): NewDelivery {
  const now = gate.clock.now();
  return {
    id: gate.ids.next('dlv'),
    userId: null,
    projectId: null,
    intentId: null,
    detail: {},
    eventSeq: null,
    eventType: null,
    replayId: null,
    createdAt: now,
    dueAt: now,
    ...given,
  };
}

export interface DeliveryAttempt {
  at: Instant;
  durationMs: number;
  /** HTTP status. Null: the target did not answer, or not in HTTP. */
  status: number | null;
  /** The error in the gate's own words, which contain no address. Null: the target accepted the message. */
  error: string | null;
  /** The start of the answer's body, made inert. */
  response: string | null;
}

/** Result of the attempts so far. */
export interface AttemptRecord {
  /** Only the latest attempts, oldest first. */
  attempts: readonly DeliveryAttempt[];
  attemptCount: number;
  lastStatus: number | null;
  lastError: string | null;
}

export interface Delivery extends Omit<NewDelivery, 'dueAt'>, AttemptRecord {
  /** The delivery's position in the outbox. */
  position: number;
  state: DeliveryState;
  /**
   * Earliest time of the next attempt. Null: the delivery is done, or waits behind an earlier delivery of its intent.
   */
  dueAt: Instant | null;
  doneAt: Instant | null;
}

/** A delivery that a sender leased. Nobody else takes it until the lease ends. */
export interface LeasedDelivery extends Delivery {
  /** New for each lease. So a gate that lost a delivery and leased it again is not mistaken for the earlier holder. */
  holder: string;
  leasedUntil: Instant;
}

export interface OutboxReader {
  /** `seq` of the last event that a reader of the log has processed. Undefined: the reader has not started. */
  findReaderPosition(reader: string, projectId: string): Promise<number | undefined>;
  /** Projects whose log has events that the reader has not processed. */
  listProjectsBehind(reader: string): Promise<readonly string[]>;
  /** Due deliveries of one target, or of a whole channel to people. Oldest first. */
  listDueDeliveries(due: {
    channel: Channel;
    target?: string;
    now: Instant;
    limit: number;
  }): Promise<readonly Delivery[]>;
  /** Unleased deliveries from before `before`. Oldest first. */
  listOverdueDeliveries(
    channel: Channel,
    before: Instant,
    now: Instant,
    limit: number,
  ): Promise<readonly Delivery[]>;
  /** Counts only up to `most`. */
  countWaitingFor(channel: Channel, target: string, most: number): Promise<number>;
  /** Not for webhooks. */
  findLastSentAt(channel: Channel, target: string): Promise<Instant | undefined>;
}

export interface OutboxWriter {
  /** Guard: the reader is still at `from` (undefined: the reader has not started). */
  moveReader(reader: string, projectId: string, from: number | undefined, to: number): Promise<boolean>;
  /**
   * False when the same delivery was inserted already. A webhook's delivery comes behind the last pending delivery of
   * the same intent for the same webhook.
   */
  insertDelivery(delivery: NewDelivery): Promise<boolean>;
  /** Guard: the delivery is still due. Nobody else takes it before `until`. */
  leaseDelivery(position: number, by: string, now: Instant, until: Instant): Promise<boolean>;
  /** Guard, also for the next two methods: `by` still holds the delivery. Null: nobody holds it at `at`. */
  finishDelivery(
    delivery: Pick<Delivery, 'position' | 'channel' | 'target' | 'intentId'>,
    by: string | null,
    state: Exclude<DeliveryState, 'waiting'>,
    at: Instant,
    record: AttemptRecord,
  ): Promise<boolean>;
  postponeDelivery(position: number, by: string, dueAt: Instant, record: AttemptRecord): Promise<boolean>;
  /** Releases the delivery without an attempt. */
  releaseDelivery(position: number, by: string, dueAt: Instant): Promise<boolean>;
  /** Deletes sent and pending notifications of the intent, and its reminder. Deliveries to webhooks contain no text. */
  eraseNotificationsOfIntent(intentId: string): Promise<void>;
  deleteDoneDeliveries(channel: Channel, before: Instant, limit: number): Promise<number>;
}

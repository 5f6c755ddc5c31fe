/**
 * Owns what is to leave the gate: mail, push and chat messages for people, events for webhooks; and how far each of it has
 * come. Readers of the sealed log keep deliveries in the database, and senders take them from there, outside every request.
 */
import type { EventType, JsonObject } from '@permitry/protocol';
import type { Clock } from '../kernel/clock.ts';
import type { Ids } from '../kernel/ids.ts';
import type { Instant } from '../kernel/instant.ts';

export type Channel = 'mail' | 'push' | 'chat' | 'webhook';

/** `dropped`: there was nothing to say any more. `failed`: it was given up. */
export type DeliveryState = 'waiting' | 'delivered' | 'dropped' | 'failed';

/** What a test delivery to a webhook says it is. No event of the log has this type. */
export const TEST_TYPE = 'webhook.test';

/** One thing to send to one target. Texts of the request or event are not kept here: they are read when it is sent. */
export interface NewDelivery {
  /** `dlv_…`. */
  id: string;
  channel: Channel;
  /** Mail: id of the person; push: of the subscription; chat: of the project; webhook: of the webhook. */
  target: string;
  /** To people: what it tells of. To a webhook: `event`, `replay` or `test`. */
  kind: string;
  /** An event's id, or a name that is made once, so that nobody is told twice. Null: a test of a webhook. */
  causeId: string | null;
  /** Null: it is for no single person. */
  userId: string | null;
  /** Null: it is about the person's account. */
  projectId: string | null;
  intentId: string | null;
  /** What cannot be read elsewhere later, e.g. the name of a passkey. Never a secret. */
  detail: JsonObject;
  /** Of an event for a webhook: its place in the log. */
  eventSeq: number | null;
  eventType: EventType | typeof TEST_TYPE | null;
  /** Of a replay: what was asked for with it. */
  replayId: string | null;
  createdAt: Instant;
  /** Not before. */
  dueAt: Instant;
}

/** What is left out is not there; it is due at once. */
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
  /** HTTP status; null: no answer came, or it was no HTTP. */
  status: number | null;
  /** In words of ours, which name no address; null: it was taken. */
  error: string | null;
  /** How the answer's body began, inert. */
  response: string | null;
}

/** What attempts leave behind. */
export interface AttemptRecord {
  /** The latest, oldest first. */
  attempts: readonly DeliveryAttempt[];
  attemptCount: number;
  lastStatus: number | null;
  lastError: string | null;
}

export interface Delivery extends Omit<NewDelivery, 'dueAt'>, AttemptRecord {
  /** Where it stands in the outbox. */
  position: number;
  state: DeliveryState;
  /** When it is tried next, at the earliest; null: it is done, or waits behind an earlier one of its intent. */
  dueAt: Instant | null;
  doneAt: Instant | null;
}

/** One that was taken to be sent, and until when nobody else takes it. */
export interface LeasedDelivery extends Delivery {
  /** Another one for each time it was taken: a gate that lost it and took it again does not pass for the first. */
  holder: string;
  leasedUntil: Instant;
}

export interface OutboxReader {
  /** `seq` of the last event that a reader of the log has dealt with; undefined: it has not begun. */
  findReaderPosition(reader: string, projectId: string): Promise<number | undefined>;
  /** Projects in whose log stands more than the reader has dealt with. */
  listProjectsBehind(reader: string): Promise<readonly string[]>;
  /** Of one target, or of a channel by which people are told; oldest first. */
  listDueDeliveries(due: {
    channel: Channel;
    target?: string;
    now: Instant;
    limit: number;
  }): Promise<readonly Delivery[]>;
  /** What nobody holds and is older than that; oldest first. */
  listOverdueDeliveries(
    channel: Channel,
    before: Instant,
    now: Instant,
    limit: number,
  ): Promise<readonly Delivery[]>;
  /** Counts no further than to `most`. */
  countWaitingFor(channel: Channel, target: string, most: number): Promise<number>;
  /** Not of webhooks. */
  findLastSentAt(channel: Channel, target: string): Promise<Instant | undefined>;
}

export interface OutboxWriter {
  /** Guard: it still stands at `from` (undefined: it has not begun). */
  moveReader(reader: string, projectId: string, from: number | undefined, to: number): Promise<boolean>;
  /**
   * False when the same was put there already. For a webhook it comes behind the last one of its intent that waits for the same
   * webhook.
   */
  insertDelivery(delivery: NewDelivery): Promise<boolean>;
  /** Guard: it is still due. Nobody else takes it before `until`. */
  leaseDelivery(position: number, by: string, now: Instant, until: Instant): Promise<boolean>;
  /** Guard, as of the next two: `by` still holds it; null: nobody does at `at`. */
  finishDelivery(
    delivery: Pick<Delivery, 'position' | 'channel' | 'target' | 'intentId'>,
    by: string | null,
    state: Exclude<DeliveryState, 'waiting'>,
    at: Instant,
    record: AttemptRecord,
  ): Promise<boolean>;
  postponeDelivery(position: number, by: string, dueAt: Instant, record: AttemptRecord): Promise<boolean>;
  /** Given back without an attempt. */
  releaseDelivery(position: number, by: string, dueAt: Instant): Promise<boolean>;
  /** What people were told and are to be told of it, and the reminder. What goes to webhooks holds no text. */
  eraseNotificationsOfIntent(intentId: string): Promise<void>;
  deleteDoneDeliveries(channel: Channel, before: Instant, limit: number): Promise<number>;
}

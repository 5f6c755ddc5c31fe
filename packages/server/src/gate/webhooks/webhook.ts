/**
 * Owns where a project's events are sent, what is to be sent there, and how that went. The log of sealed events is read,
 * and for each event a delivery is kept for every webhook that wants it; whoever delivers takes it from there, outside
 * every request.
 */
import type { EventType } from '@permitry/protocol';
import type { Instant } from '../kernel/instant.ts';

/** `requested`: somebody did. `gone`: it answered 410. `failing`: it took nothing for days. */
export type DisabledReason = 'requested' | 'gone' | 'failing';

export interface WebhookSecret {
  /** `whsec_…`, sealed. */
  sealed: string;
  /** Until when it signs as well; null: the current one, which signs until it is replaced. */
  until: Instant | null;
}

/** How the latest attempts went, whoever made them: what every gate knows of an endpoint. */
export interface WebhookHealth {
  /** In a row. */
  failures: number;
  /** The first of them. */
  failingSince: Instant | null;
  /** Nothing is sent there before. */
  openUntil: Instant | null;
  /** To the minute. */
  lastDeliveredAt: Instant | null;
}

export interface Webhook extends WebhookHealth {
  /** `whk_…`. */
  id: string;
  projectId: string;
  /** The address, sealed: what stands in its path and query may be a secret. */
  sealedUrl: string;
  /** Of the address, with the port where one is named. */
  host: string;
  description: string | null;
  /** Types, and groups of them such as `intent.*`; null: all. */
  eventTypes: readonly string[] | null;
  /** The current one first. */
  secrets: readonly WebhookSecret[];
  /** Events after this place in the chain are sent. */
  afterSeq: number;
  createdAt: Instant;
  updatedAt: Instant;
  disabledAt: Instant | null;
  disabledReason: DisabledReason | null;
}

/** `event`: it happened. `replay`: somebody asked to have it sent again. `test`: somebody tried the webhook. */
type DeliveryKind = 'event' | 'replay' | 'test';

/** `failed`: it was given up. */
export type DeliveryState = 'waiting' | 'delivered' | 'failed';

/** What a test delivery says it is. No event of the log has this type. */
export const TEST_TYPE = 'webhook.test';

/** One thing to send to one webhook. Its texts are not kept here: they are read from the log when it is sent. */
export interface NewDelivery {
  /** `dlv_…`. */
  id: string;
  projectId: string;
  webhookId: string;
  kind: DeliveryKind;
  /** Of a replay: what was asked for with it. */
  replayId: string | null;
  /** Null, as the place: a test. */
  eventId: string | null;
  eventSeq: number | null;
  eventType: EventType | typeof TEST_TYPE;
  intentId: string | null;
  createdAt: Instant;
}

export interface DeliveryAttempt {
  at: Instant;
  durationMs: number;
  /** HTTP status; null: no answer came. */
  status: number | null;
  /** In words of ours; null: it was taken. */
  error: string | null;
  /** How the answer's body began, inert. */
  response: string | null;
}

/** As it stands in a list. */
export interface DeliverySummary extends NewDelivery {
  state: DeliveryState;
  /** When it is tried next, at the earliest; null: it is done, or waits behind an earlier one of its intent. */
  dueAt: Instant | null;
  attemptCount: number;
  lastStatus: number | null;
  lastError: string | null;
  doneAt: Instant | null;
}

export interface Delivery extends DeliverySummary {
  /** Where it stands in the queue. */
  position: number;
  /** The latest, oldest first. */
  attempts: readonly DeliveryAttempt[];
}

/** One that was taken to be sent, and until when nobody else takes it. */
export interface LeasedDelivery extends Delivery {
  /** Another one for each time it was taken: a gate that lost it and took it again does not pass for the first. */
  holder: string;
  leasedUntil: Instant;
}

export interface DeliveryFilter {
  projectId: string;
  webhookId: string;
  state?: DeliveryState;
  replayId?: string;
  beforeId?: string;
  limit: number;
}

/** For metrics. */
interface WebhookQueue {
  waiting: number;
  oldestWaitingSince: Instant | null;
  openCircuits: number;
}

/** What an attempt leaves behind. */
export interface AttemptRecord {
  attempts: readonly DeliveryAttempt[];
  attemptCount: number;
  lastStatus: number | null;
  lastError: string | null;
}

export interface WebhookReader {
  findWebhook(projectId: string, webhookId: string): Promise<Webhook | undefined>;
  /** Newest first; a project has few. */
  listWebhooks(projectId: string): Promise<readonly Webhook[]>;
  /** Projects in whose log stands more than was read for their webhooks. */
  listProjectsToDeliver(reader: string): Promise<readonly string[]>;
  /** Those that may be sent to now and have something due. */
  listDueWebhooks(now: Instant): Promise<readonly Webhook[]>;
  hasMoreWaitingThan(projectId: string, webhookId: string, count: number): Promise<boolean>;
  /** Oldest first. */
  listDueDeliveries(
    projectId: string,
    webhookId: string,
    now: Instant,
    limit: number,
  ): Promise<readonly Delivery[]>;
  /** What nobody holds and is older than that; oldest first. */
  listOverdueDeliveries(before: Instant, now: Instant, limit: number): Promise<readonly Delivery[]>;
  /** What waits for webhooks that are disabled; oldest first. */
  listStrandedDeliveries(limit: number): Promise<readonly Delivery[]>;
  findDelivery(projectId: string, webhookId: string, deliveryId: string): Promise<Delivery | undefined>;
  /** Newest first. */
  listDeliveries(filter: DeliveryFilter): Promise<readonly DeliverySummary[]>;
  measureWebhooks(now: Instant): Promise<WebhookQueue>;
}

export interface WebhookWriter {
  insertWebhook(webhook: Webhook): Promise<void>;
  /** All of it that is not its health. */
  updateWebhook(webhook: Webhook): Promise<void>;
  /** Guard: it is enabled. */
  disableWebhook(webhookId: string, reason: DisabledReason, at: Instant): Promise<boolean>;
  /** It is as if it had never failed. */
  resetWebhookHealth(webhookId: string): Promise<void>;
  /** Something is sent there at once, whatever failed before. */
  letWebhookThrough(webhookId: string): Promise<void>;
  /** A success: ends a row of failures. Written only where it says something new to the minute. */
  noteWebhookSuccess(webhookId: string, at: Instant, minuteBefore: Instant): Promise<void>;
  noteWebhookFailure(webhookId: string, at: Instant, openUntil: Instant | null): Promise<void>;
  /** Guard: the circuit still opens when it was read to. Whoever gets it makes the one attempt there is. */
  takeProbe(webhookId: string, openUntil: Instant, until: Instant): Promise<boolean>;
  /** It is seen no more, and holds no secret; what belongs to it is swept. */
  deleteWebhook(webhookId: string, at: Instant): Promise<boolean>;
  /** Due at once, or behind the last one of its intent that waits there. False when it stands there already. */
  insertDelivery(delivery: NewDelivery): Promise<boolean>;
  /** Guard: it is still due. Nobody else takes it before `until`. */
  leaseDelivery(position: number, by: string, now: Instant, until: Instant): Promise<boolean>;
  /** Guard, as of the next two: `by` still holds it; null: nobody does at `at`. */
  finishDelivery(
    delivery: Pick<Delivery, 'position' | 'projectId' | 'webhookId' | 'intentId'>,
    by: string | null,
    state: 'delivered' | 'failed',
    at: Instant,
    record: AttemptRecord,
  ): Promise<boolean>;
  postponeDelivery(position: number, by: string, dueAt: Instant, record: AttemptRecord): Promise<boolean>;
  /** Given back without an attempt. */
  releaseDelivery(position: number, by: string, dueAt: Instant): Promise<boolean>;
  deleteDoneDeliveries(before: Instant, limit: number): Promise<number>;
  /** With webhooks that were deleted, once nothing of theirs is left. */
  deleteDeliveriesOfDeleted(limit: number): Promise<number>;
}

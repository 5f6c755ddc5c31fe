/**
 * Owns where a project's events are sent, and how that went. For each sealed event a delivery is put into the outbox for every
 * webhook that wants it.
 */
import type { EventType } from '@permitry/protocol';
import type { Instant } from '../kernel/instant.ts';
import type { Delivery, DeliveryState, TEST_TYPE } from '../outbox/delivery.ts';

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

/** One event for one webhook. */
export interface WebhookDelivery extends Delivery {
  projectId: string;
  /** `event`: it happened. `replay`: somebody asked to have it sent again. `test`: somebody tried the webhook. */
  kind: 'event' | 'replay' | 'test';
  eventType: EventType | typeof TEST_TYPE;
  state: WebhookDeliveryState;
}

/** `failed`: it was given up. */
export type WebhookDeliveryState = Exclude<DeliveryState, 'dropped'>;

/** As it stands in a list. */
export type DeliverySummary = Omit<WebhookDelivery, 'attempts' | 'position'>;

export interface DeliveryFilter {
  projectId: string;
  webhookId: string;
  state?: WebhookDeliveryState;
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

export interface WebhookReader {
  findWebhook(projectId: string, webhookId: string): Promise<Webhook | undefined>;
  /** Newest first; a project has few. */
  listWebhooks(projectId: string): Promise<readonly Webhook[]>;
  /** Projects in whose log stands more than was read for their webhooks. */
  listProjectsToDeliver(reader: string): Promise<readonly string[]>;
  /** Those that may be sent to now and have something due. */
  listDueWebhooks(now: Instant): Promise<readonly Webhook[]>;
  /** What waits for webhooks that are disabled; oldest first. */
  listStrandedDeliveries(limit: number): Promise<readonly Delivery[]>;
  findDelivery(
    projectId: string,
    webhookId: string,
    deliveryId: string,
  ): Promise<WebhookDelivery | undefined>;
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
  /** With webhooks that were deleted, once nothing of theirs is left. */
  deleteDeliveriesOfDeleted(limit: number): Promise<number>;
}

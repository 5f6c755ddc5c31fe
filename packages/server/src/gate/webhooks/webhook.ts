/**
 * Owns the webhooks of projects, and the state of their deliveries. It puts a delivery into the outbox for each sealed
 * event and each webhook that wants the event.
 */
import type { EventType } from '@permitry/protocol';
import type { Instant } from '../kernel/instant.ts';
import type { Delivery, DeliveryState, TEST_TYPE } from '../outbox/delivery.ts';

/**
 * `requested`: a person disabled the webhook. `gone`: the endpoint answered 410. `failing`: the endpoint accepted
 * nothing for days.
 */
export type DisabledReason = 'requested' | 'gone' | 'failing';

export interface WebhookSecret {
  /** `whsec_…`, sealed. */
  sealed: string;
  /** Until when the secret signs. Null: the current secret, which signs until it is replaced. */
  until: Instant | null;
}

/** The results of the latest attempts of all gates, which every gate knows. */
export interface WebhookHealth {
  /** Failures in a row. */
  failures: number;
  /** When the first of these failures happened. */
  failingSince: Instant | null;
  /** Nothing is sent to the endpoint before this time. */
  openUntil: Instant | null;
  /** To the minute. */
  lastDeliveredAt: Instant | null;
}

export interface Webhook extends WebhookHealth {
  /** `whk_…`. */
  id: string;
  projectId: string;
  /** The address, sealed: its path and query may hold a secret. */
  sealedUrl: string;
  /** Host of the address, with the port if the address names one. */
  host: string;
  description: string | null;
  /** Event types, and groups of them such as `intent.*`. Null: all types. */
  eventTypes: readonly string[] | null;
  /** The current secret first. */
  secrets: readonly WebhookSecret[];
  /** Only events after this `seq` are sent. */
  afterSeq: number;
  createdAt: Instant;
  updatedAt: Instant;
  disabledAt: Instant | null;
  disabledReason: DisabledReason | null;
}

/** One event for one webhook. */
export interface WebhookDelivery extends Delivery {
  projectId: string;
  /**
   * `event`: the event happened. `replay`: a person or program requested a replay. `test`: a person or program tested
   * the webhook.
   */
  kind: 'event' | 'replay' | 'test';
  eventType: EventType | typeof TEST_TYPE;
  state: WebhookDeliveryState;
}

/** `failed`: the gate gave up. */
export type WebhookDeliveryState = Exclude<DeliveryState, 'dropped'>;

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
  /** Newest first. A project has few webhooks. */
  listWebhooks(projectId: string): Promise<readonly Webhook[]>;
  /** Projects whose log has events that the reader has not processed for their webhooks. */
  listProjectsToDeliver(reader: string): Promise<readonly string[]>;
  /** Webhooks that have a due delivery, and that the gate may send to now. */
  listDueWebhooks(now: Instant): Promise<readonly Webhook[]>;
  /** Deliveries that wait for disabled webhooks. Oldest first. */
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
  /** Updates everything except its health. */
  updateWebhook(webhook: Webhook): Promise<void>;
  /** Guard: the webhook is enabled. */
  disableWebhook(webhookId: string, reason: DisabledReason, at: Instant): Promise<boolean>;
  /** Resets the health, as if the webhook had never failed. */
  resetWebhookHealth(webhookId: string): Promise<void>;
  /** Lets the gate send to the webhook immediately, whatever failed before. */
  letWebhookThrough(webhookId: string): Promise<void>;
  /**
   * Records a success and ends a series of failures. Writes nothing if there were no failures and the last success is
   * newer than `minuteBefore`.
   */
  noteWebhookSuccess(webhookId: string, at: Instant, minuteBefore: Instant): Promise<void>;
  noteWebhookFailure(webhookId: string, at: Instant, openUntil: Instant | null): Promise<void>;
  /** Guard: `openUntil` is unchanged since it was read. The gate whose call succeeds makes the only attempt. */
  takeProbe(webhookId: string, openUntil: Instant, until: Instant): Promise<boolean>;
  /** Hides the webhook and deletes its secrets. A sweep deletes the rest. */
  deleteWebhook(webhookId: string, at: Instant): Promise<boolean>;
  /** Also deletes the deleted webhooks, once no other data of theirs is left. */
  deleteDeliveriesOfDeleted(limit: number): Promise<number>;
}

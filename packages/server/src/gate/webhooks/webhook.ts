/**
 * Owns where a project's events are sent, and how that went. It puts a delivery into the outbox for each sealed event
 * and each webhook that wants it.
 */
import type { EventType } from '@permitry/protocol';
import type { Instant } from '../kernel/instant.ts';
import type { Delivery, DeliveryState, TEST_TYPE } from '../outbox/delivery.ts';

/** `requested`: a person disabled it. `gone`: the endpoint answered 410. `failing`: it accepted nothing for days. */
export type DisabledReason = 'requested' | 'gone' | 'failing';

export interface WebhookSecret {
  /** `whsec_…`, sealed. */
  sealed: string;
  /** Until when it also signs. Null: the current one, which signs until it is replaced. */
  until: Instant | null;
}

/** How the latest attempts of all gates went: what every gate knows about an endpoint. */
export interface WebhookHealth {
  /** Failures in a row. */
  failures: number;
  /** The first of these failures. */
  failingSince: Instant | null;
  /** Nothing is sent there before this time. */
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
  /** Host of the address, with the port where it names one. */
  host: string;
  description: string | null;
  /** Types, and groups of them such as `intent.*`. Null: all. */
  eventTypes: readonly string[] | null;
  /** The current one first. */
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
  /** `event`: it happened. `replay`: somebody requested a replay. `test`: somebody tested the webhook. */
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
  /** Newest first. A project has few. */
  listWebhooks(projectId: string): Promise<readonly Webhook[]>;
  /** Projects whose log has events that were not read for their webhooks yet. */
  listProjectsToDeliver(reader: string): Promise<readonly string[]>;
  /** Webhooks that may be sent to now and have a delivery due. */
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
  /** Guard: it is enabled. */
  disableWebhook(webhookId: string, reason: DisabledReason, at: Instant): Promise<boolean>;
  /** Sets its health as if it had never failed. */
  resetWebhookHealth(webhookId: string): Promise<void>;
  /** Sends to it at once, whatever failed before. */
  letWebhookThrough(webhookId: string): Promise<void>;
  /** Records a success and ends a row of failures. Writes only if that changes something, to the minute. */
  noteWebhookSuccess(webhookId: string, at: Instant, minuteBefore: Instant): Promise<void>;
  noteWebhookFailure(webhookId: string, at: Instant, openUntil: Instant | null): Promise<void>;
  /** Guard: the circuit still opens at the time that was read. The gate that succeeds makes the only attempt. */
  takeProbe(webhookId: string, openUntil: Instant, until: Instant): Promise<boolean>;
  /** Hides it and deletes its secrets. A sweep deletes the rest. */
  deleteWebhook(webhookId: string, at: Instant): Promise<boolean>;
  /** Also deletes the deleted webhooks, once nothing else of theirs is left. */
  deleteDeliveriesOfDeleted(limit: number): Promise<number>;
}

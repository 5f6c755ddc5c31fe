/**
 * Owns which events notify whom, and over which channels. It reads the log of sealed events and puts notifications into
 * the outbox.
 */
import type { RiskTier } from '@permitry/protocol';
import type { Instant } from '../kernel/instant.ts';
import type { Channel, Delivery } from '../outbox/delivery.ts';
import type { ChatKind, NotificationKind } from './kinds.ts';
import type { Preferences, SavedPreferences } from './preferences.ts';

/** A delivery to people. */
export interface Notification extends Delivery {
  channel: PersonalChannel;
  kind: NotificationKind;
}

/** Channels that reach people. */
export type PersonalChannel = Exclude<Channel, 'webhook'>;

/** A person's device or browser that takes push messages. */
export interface PushSubscription {
  /** `psh_…`. */
  id: string;
  userId: string;
  /** Hex SHA-256 of the endpoint. A browser has one endpoint, no matter who is signed in there. */
  endpointHash: string;
  /** Endpoint and keys as JSON, sealed: anyone who has these values can send to the device. */
  sealed: string;
  /** Host of the push service. */
  host: string;
  /** The name that the person gave the device. */
  label: string;
  createdAt: Instant;
  lastSentAt: Instant | null;
}

/** The incoming webhook of a project's chat. */
export interface ChatHook {
  projectId: string;
  /** The address, sealed: anyone who has the address can write into the channel. */
  sealed: string;
  host: string;
  /** The last four characters of the address. */
  hint: string;
  kinds: readonly ChatKind[];
  minimumRiskTier: RiskTier;
  updatedAt: Instant;
  lastSentAt: Instant | null;
  /** The error of the latest attempt, if it failed. */
  lastError: string | null;
}

/** The key pair that identifies the gate to push services (VAPID, RFC 8292). */
interface PushIdentity {
  /** base64url of the uncompressed point. */
  publicKey: string;
  /** Sealed. */
  privateKey: string;
  createdAt: Instant;
}

/** When to remind the approvers who have not decided on an intent. */
interface Reminder {
  intentId: string;
  projectId: string;
  dueAt: Instant;
}

export interface NotificationReader {
  countWaitingNotifications(): Promise<number>;
  /** How many deliveries exceeded the number that the outbox keeps for one target. */
  countUnlisted(channel: Channel, target: string): Promise<number>;
  /** People who were notified that the intent needs their review. */
  listNotifiedPeople(intentId: string): Promise<readonly string[]>;
  listDueReminders(now: Instant, limit: number): Promise<readonly Reminder[]>;
  /** Undefined for a person who never changed their preferences. */
  findPreferences(userId: string): Promise<SavedPreferences | undefined>;
  /** Oldest first. */
  listPushSubscriptions(userId: string): Promise<readonly PushSubscription[]>;
  findPushSubscription(subscriptionId: string): Promise<PushSubscription | undefined>;
  hasPushSubscriptions(): Promise<boolean>;
  findChatHook(projectId: string): Promise<ChatHook | undefined>;
  findPushIdentity(): Promise<PushIdentity | undefined>;
}

export interface NotificationWriter {
  addUnlisted(channel: Channel, target: string, count: number): Promise<void>;
  /** Guard: the count is at least that high. */
  subtractUnlisted(channel: Channel, target: string, count: number): Promise<void>;
  /** Deletes finished notifications of the intent, so that none of its data stays behind. */
  forgetNotified(intentId: string): Promise<void>;
  /** Each intent has at most one reminder. */
  insertReminder(reminder: Reminder): Promise<void>;
  deleteReminder(intentId: string): Promise<boolean>;
  savePreferences(userId: string, preferences: Preferences, at: Instant): Promise<void>;
  /** Replaces an earlier subscription of the same endpoint, even another person's. */
  savePushSubscription(subscription: PushSubscription): Promise<void>;
  touchPushSubscription(subscriptionId: string, at: Instant): Promise<void>;
  /** Also deletes its pending deliveries. */
  deletePushSubscription(subscriptionId: string): Promise<boolean>;
  saveChatHook(hook: ChatHook): Promise<void>;
  noteChatHook(projectId: string, outcome: { sentAt: Instant } | { error: string }): Promise<void>;
  /** Also deletes its pending deliveries. */
  deleteChatHook(projectId: string): Promise<boolean>;
  /** False when the gate has an identity already. */
  insertPushIdentity(identity: PushIdentity): Promise<boolean>;
  /** Deletes the pending notifications of this person about this project. */
  eraseNotificationsOfMember(projectId: string, userId: string): Promise<void>;
  /**
   * Deletes preferences, subscriptions and pending notifications of the person, unless the person is a member of a
   * project.
   */
  eraseNotifiedPerson(userId: string): Promise<void>;
}

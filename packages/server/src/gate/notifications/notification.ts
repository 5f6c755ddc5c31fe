/** Owns who is told of what, and by which channels. The log of sealed events is read, and what has to be said is put into the outbox. */
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

/** By which people are told. */
export type PersonalChannel = Exclude<Channel, 'webhook'>;

/** A device or browser that takes push messages for a person. */
export interface PushSubscription {
  /** `psh_…`. */
  id: string;
  userId: string;
  /** Hex SHA-256 of its endpoint: a browser has one, whoever is signed in there. */
  endpointHash: string;
  /** Endpoint and keys as JSON, sealed: with them anybody could send to the device. */
  sealed: string;
  /** Host of the push service. */
  host: string;
  /** As its person called it. */
  label: string;
  createdAt: Instant;
  lastSentAt: Instant | null;
}

/** The incoming webhook of a project's chat. */
export interface ChatHook {
  projectId: string;
  /** The address, sealed: with it anybody could write into the channel. */
  sealed: string;
  host: string;
  /** The last four characters of the address. */
  hint: string;
  kinds: readonly ChatKind[];
  minimumRiskTier: RiskTier;
  updatedAt: Instant;
  lastSentAt: Instant | null;
  /** Of the latest attempt, if it failed. */
  lastError: string | null;
}

/** The key pair by which push services know the gate (VAPID, RFC 8292). */
interface PushIdentity {
  /** base64url of the uncompressed point. */
  publicKey: string;
  /** Sealed. */
  privateKey: string;
  createdAt: Instant;
}

/** When those who have not decided on an intent are reminded of it. */
interface Reminder {
  intentId: string;
  projectId: string;
  dueAt: Instant;
}

export interface NotificationReader {
  countWaitingNotifications(): Promise<number>;
  /** How many more there were than the outbox keeps for one target. */
  countUnlisted(channel: Channel, target: string): Promise<number>;
  /** People who were told that the intent waits for them. */
  listNotifiedPeople(intentId: string): Promise<readonly string[]>;
  listDueReminders(now: Instant, limit: number): Promise<readonly Reminder[]>;
  /** Undefined for somebody who never changed any. */
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
  /** Guard: there are so many still. */
  subtractUnlisted(channel: Channel, target: string, count: number): Promise<void>;
  /** Those that are done, so that their intent leaves nothing behind. */
  forgetNotified(intentId: string): Promise<void>;
  /** One per intent. */
  insertReminder(reminder: Reminder): Promise<void>;
  deleteReminder(intentId: string): Promise<boolean>;
  savePreferences(userId: string, preferences: Preferences, at: Instant): Promise<void>;
  /** In place of an earlier one of the same endpoint, whosever that was. */
  savePushSubscription(subscription: PushSubscription): Promise<void>;
  touchPushSubscription(subscriptionId: string, at: Instant): Promise<void>;
  /** With what waits for it. */
  deletePushSubscription(subscriptionId: string): Promise<boolean>;
  saveChatHook(hook: ChatHook): Promise<void>;
  noteChatHook(projectId: string, outcome: { sentAt: Instant } | { error: string }): Promise<void>;
  /** With what waits for it. */
  deleteChatHook(projectId: string): Promise<boolean>;
  /** False when there is one already. */
  insertPushIdentity(identity: PushIdentity): Promise<boolean>;
  /** What the person was to be told of the project. */
  eraseNotificationsOfMember(projectId: string, userId: string): Promise<void>;
  /** Preferences, subscriptions and all that waits for the person, unless they are a member of a project. */
  eraseNotifiedPerson(userId: string): Promise<void>;
}

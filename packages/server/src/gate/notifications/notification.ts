/**
 * Owns who is told of what, and how far the telling has come. The log of sealed events is read, and what has to be said
 * is put into an outbox in the database; whoever delivers takes it from there, outside every request.
 */
import type { JsonObject, RiskTier } from '@permitry/protocol';
import type { Instant } from '../kernel/instant.ts';
import type { ChatKind, NotificationKind } from './kinds.ts';
import type { Preferences, SavedPreferences } from './preferences.ts';

export type Channel = 'mail' | 'push' | 'chat';

/** One thing to say to one target by one channel. Texts of an intent are not kept here: they are read when it is said. */
export interface Notification {
  /** What it tells of: an event's id, or a name that is made once, so that nobody is told twice. */
  causeId: string;
  kind: NotificationKind;
  channel: Channel;
  /** Mail: id of the person; push: id of the subscription; chat: id of the project. */
  target: string;
  /** Null: a project's chat. */
  userId: string | null;
  /** Null: it is about the person's account. */
  projectId: string | null;
  intentId: string | null;
  /** What cannot be read elsewhere later, e.g. the name of a passkey. Never a secret. */
  detail: JsonObject;
  createdAt: Instant;
  /** Not before. */
  dueAt: Instant;
}

export interface QueuedNotification extends Notification {
  /** Where it stands in the outbox. */
  position: number;
  attempts: number;
}

/** `dropped`: there was nothing to say any more. `given_up`: nobody took it for a day. */
export type DoneState = 'sent' | 'dropped' | 'given_up';

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
  /** `seq` of the last event that a reader of the log has dealt with; undefined: it has not begun. */
  findReaderPosition(reader: string, projectId: string): Promise<number | undefined>;
  /** Oldest first. */
  listDueNotifications(channel: Channel, now: Instant, limit: number): Promise<readonly QueuedNotification[]>;
  listDueFor(
    channel: Channel,
    target: string,
    now: Instant,
    limit: number,
  ): Promise<readonly QueuedNotification[]>;
  findLastSentAt(channel: Channel, target: string): Promise<Instant | undefined>;
  countWaitingFor(channel: Channel, target: string): Promise<number>;
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
  /** Guard: it still stands at `from` (undefined: it has not begun). */
  moveReader(reader: string, projectId: string, from: number | undefined, to: number): Promise<boolean>;
  /** False when the same was put there already. */
  insertNotification(notification: Notification): Promise<boolean>;
  addUnlisted(channel: Channel, target: string, count: number): Promise<void>;
  /** Guard: there are so many still. */
  subtractUnlisted(channel: Channel, target: string, count: number): Promise<void>;
  finishNotification(position: number, state: DoneState, at: Instant): Promise<void>;
  /** Once more later. `error`: why the attempt failed; null: there was none. */
  postponeNotification(position: number, dueAt: Instant, error: string | null): Promise<void>;
  /** Those that are done, so that their intent leaves nothing behind. */
  forgetNotified(intentId: string): Promise<void>;
  deleteDoneNotifications(before: Instant, limit: number): Promise<number>;
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
  eraseNotificationsOfIntent(intentId: string): Promise<void>;
  /** What the person was to be told of the project. */
  eraseNotificationsOfMember(projectId: string, userId: string): Promise<void>;
  /** Preferences, subscriptions and all that waits for the person, unless they are a member of a project. */
  eraseNotifiedPerson(userId: string): Promise<void>;
}

/** Puts notices into the outbox: chooses the channels, and queues no more than anybody reads. */

import { addSeconds } from '../kernel/instant.ts';
import {
  type Channel,
  type NewDelivery,
  newDelivery,
  type OutboxReader,
  type OutboxWriter,
} from '../outbox/delivery.ts';
import type { NotificationKind } from './kinds.ts';
import type { Notice } from './notice.ts';
import type {
  ChatHook,
  NotificationReader,
  NotificationWriter,
  PersonalChannel,
  PushSubscription,
} from './notification.ts';
import type { NotificationDeps } from './notification-deps.ts';
import { type Preferences, preferencesFrom, reaches, type Subject, wants } from './preferences.ts';

/**
 * Seconds that a message waits for others of its kind. Push and chat must be quick, so they gather only messages that
 * arrive together.
 */
const GATHER_SECONDS: Record<PersonalChannel, number> = { mail: 5, push: 1, chat: 1 };

/** The most deliveries that the outbox keeps for one target. Beyond that, the outbox only counts them. */
const MOST_WAITING = 100;

interface Address {
  channel: PersonalChannel;
  target: string;
  userId: string | null;
}

/** Puts notices into the outbox. One instance serves one page of the log, and looks everything up only once. */
export class Addressing {
  readonly #gate: NotificationDeps;
  readonly #read: NotificationReader & OutboxReader;
  readonly #preferences = new Map<string, Preferences>();
  readonly #devices = new Map<string, readonly PushSubscription[]>();
  readonly #hooks = new Map<string, ChatHook | undefined>();
  readonly #waiting = new Map<string, number>();
  readonly #unlisted = new Map<string, { channel: Channel; target: string; count: number }>();
  readonly #notifications: NewDelivery[] = [];

  constructor(gate: NotificationDeps) {
    this.#gate = gate;
    this.#read = gate.storage.read;
  }

  /** Number of rows to write. */
  get size(): number {
    return this.#notifications.length + this.#unlisted.size;
  }

  async add(notice: Notice): Promise<void> {
    for (const userId of notice.userIds) {
      for (const address of await this.#addressesOf(userId, notice)) await this.#put(notice, address);
    }
    if (notice.forChat && (await this.#chatHears(notice))) {
      await this.#put(notice, { channel: 'chat', target: notice.projectId, userId: null });
    }
  }

  async write(tx: NotificationWriter & OutboxWriter): Promise<void> {
    for (const notification of this.#notifications) await tx.insertDelivery(notification);
    for (const { channel, target, count } of this.#unlisted.values())
      await tx.addUnlisted(channel, target, count);
  }

  async #addressesOf(userId: string, subject: Subject): Promise<Address[]> {
    const preferences = await this.#preferencesOf(userId);
    const addresses: Address[] = [];
    if (this.#gate.reach.mail && wants(preferences, subject, 'mail')) {
      addresses.push({ channel: 'mail', target: userId, userId });
    }
    if (wants(preferences, subject, 'push')) {
      const devices = await this.#devicesOf(userId);
      addresses.push(...devices.map(({ id }) => ({ channel: 'push' as const, target: id, userId })));
    }
    return addresses;
  }

  async #put({ causeId, kind, projectId, intentId, detail = {} }: Notice, address: Address): Promise<void> {
    const { channel, target } = address;
    const key = `${channel} ${target}`;
    const waiting =
      this.#waiting.get(key) ?? (await this.#read.countWaitingFor(channel, target, MOST_WAITING));
    if (waiting >= MOST_WAITING) {
      const count = (this.#unlisted.get(key)?.count ?? 0) + 1;
      this.#unlisted.set(key, { channel, target, count });
      return;
    }
    this.#waiting.set(key, waiting + 1);
    const dueAt = addSeconds(this.#gate.clock.now(), GATHER_SECONDS[channel]);
    const said = { causeId, kind, projectId, intentId, detail, dueAt };
    this.#notifications.push(newDelivery(this.#gate, { ...address, ...said }));
  }

  async #chatHears({ projectId, kind, riskTier }: Notice): Promise<boolean> {
    if (!this.#hooks.has(projectId)) this.#hooks.set(projectId, await this.#read.findChatHook(projectId));
    const hook = this.#hooks.get(projectId);
    if (!hook) return false;
    const heard: readonly NotificationKind[] = hook.kinds;
    return heard.includes(kind) && (riskTier === null || reaches(riskTier, hook.minimumRiskTier));
  }

  async #preferencesOf(userId: string): Promise<Preferences> {
    const known = this.#preferences.get(userId) ?? preferencesFrom(await this.#read.findPreferences(userId));
    this.#preferences.set(userId, known);
    return known;
  }

  async #devicesOf(userId: string): Promise<readonly PushSubscription[]> {
    const known = this.#devices.get(userId) ?? (await this.#read.listPushSubscriptions(userId));
    this.#devices.set(userId, known);
    return known;
  }
}

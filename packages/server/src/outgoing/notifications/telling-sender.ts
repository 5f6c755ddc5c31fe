import { addSeconds, type Instant } from '../../gate/kernel/instant.ts';
import { yieldToEventLoop } from '../../gate/kernel/yield-to-event-loop.ts';
import type { Notification, PersonalChannel } from '../../gate/notifications/notification.ts';
import { type Telling, toDue } from '../../gate/notifications/to-telling.ts';
import { claimDeliveries } from '../../gate/outbox/claim-deliveries.ts';
import type { LeasedDelivery } from '../../gate/outbox/delivery.ts';
import type { Answer, Fate } from '../../gate/outbox/settle-deliveries.ts';
import type { SendSlots, SlotTarget } from '../outbox/send-slots.ts';
import type { Sender, Sent } from '../outbox/sender.ts';
import type { OutgoingDeps, OutgoingTransaction } from '../outgoing-deps.ts';
import type { Tellings } from './to-mail.ts';

/** Deliveries looked at for targets in one round; of one target, those that go into one message. */
const MOST_LOOKED_AT = 1000;
const MOST_AT_ONCE = 200;
/** For as long, others leave alone what a gate died with. */
const LEASE_SECONDS = 30;

export interface Told extends Answer {
  note?: (tx: OutgoingTransaction) => Promise<void>;
}

/**
 * A channel by which people are told: all that is due for a target is one message, and there is some time between two. What
 * there is nothing more to say of is dropped, and what is not to disturb anybody now is put off.
 */
export abstract class TellingSender implements Sender {
  abstract readonly channel: PersonalChannel;
  abstract readonly slots: SendSlots;
  /** At least so long between two messages to one target. */
  protected abstract readonly paceSeconds: number;
  readonly firstRetrySeconds = 15;
  readonly keptSeconds = 35 * 24 * 60 * 60;
  protected readonly gate: OutgoingDeps;
  /** The stem of links. */
  protected readonly baseUrl: string;

  constructor(gate: OutgoingDeps, baseUrl: string) {
    this.gate = gate;
    this.baseUrl = baseUrl;
  }

  get ready(): boolean {
    return true;
  }

  async listDue(): Promise<readonly SlotTarget[]> {
    const due = { channel: this.channel, now: this.gate.clock.now(), limit: MOST_LOOKED_AT };
    const found = await this.gate.storage.read.listDueDeliveries(due);
    const targets = new Set(found.map(({ target }) => target));
    return [...targets].map((id) => ({ id, projectId: null, failures: 0 }));
  }

  /** Whoever has the lease of a target serves it, so that its pace is kept by all gates. */
  async take(
    { id: target }: SlotTarget,
    _most: number,
    send: (parcels: readonly LeasedDelivery[][]) => Promise<void>,
  ): Promise<void> {
    const { gate, channel } = this;
    await gate.leases.hold({ queue: channel, name: target }, async () => {
      const parcel = await claimDeliveries(gate, { channel, target, limit: MOST_AT_ONCE }, LEASE_SECONDS);
      // Another gate may have been here since it was seen to be due.
      if (parcel.length > 0) await send([parcel]);
    });
  }

  async send({ id: target }: SlotTarget, parcel: readonly LeasedDelivery[]): Promise<Sent> {
    const { channel } = this;
    const unsent = new Map<LeasedDelivery, Fate>();
    const earliest = await this.#earliest(target);
    if (earliest > this.gate.clock.now()) {
      for (const delivery of parcel) unsent.set(delivery, { kind: 'later', at: earliest });
      return { answer: null, unsent };
    }
    const tellings: Telling[] = [];
    for (const [index, delivery] of parcel.entries()) {
      // Requests that come in meanwhile are answered in between.
      if (index % 10 === 9) await yieldToEventLoop();
      const due = await toDue(this.gate, delivery as LeasedDelivery & Notification);
      if (due.kind === 'now') tellings.push(due.telling);
      else unsent.set(delivery, due);
    }
    const unlisted = await this.gate.storage.read.countUnlisted(channel, target);
    const forget = async (tx: OutgoingTransaction): Promise<void> => {
      if (unlisted > 0) await tx.subtractUnlisted(channel, target, unlisted);
    };
    const [first, ...others] = tellings;
    if (!first) {
      // Of what was only counted there is as little to say as of what was listed.
      const isAllDropped = [...unsent.values()].every(({ kind }) => kind === 'dropped');
      return { answer: null, unsent, ...(isAllDropped ? { note: forget } : {}) };
    }
    const { note, ...answer } = await this.tell(target, [first, ...others], unlisted);
    return {
      answer,
      unsent,
      async note(tx) {
        await note?.(tx);
        if (answer.kind === 'delivered') await forget(tx);
      },
    };
  }

  /** All that is due for a target, at once. Does not throw for what the other side does. */
  protected abstract tell(target: string, tellings: Tellings, unlisted: number): Promise<Told>;

  /** From when on it may be told something again. */
  async #earliest(target: string): Promise<Instant> {
    const lastSentAt = await this.gate.storage.read.findLastSentAt(this.channel, target);
    return lastSentAt === undefined ? '' : addSeconds(lastSentAt, this.paceSeconds);
  }
}

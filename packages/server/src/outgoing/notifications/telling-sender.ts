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

/**
 * The most deliveries that one round scans for targets. The next limit is for the deliveries to one target in one
 * message.
 */
const MOST_LOOKED_AT = 1000;
const MOST_AT_ONCE = 200;
/** If a gate dies, the other gates take over its deliveries after this time. */
const LEASE_SECONDS = 30;

export interface Told extends Answer {
  note?: (tx: OutgoingTransaction) => Promise<void>;
}

/**
 * A channel that notifies people. All due deliveries for a target become one message, and the gate waits between two
 * messages. Deliveries with nothing left to say are dropped. Deliveries in a person's quiet hours are postponed.
 */
export abstract class TellingSender implements Sender {
  abstract readonly channel: PersonalChannel;
  abstract readonly slots: SendSlots;
  /** Minimum seconds between two messages to one target. */
  protected abstract readonly paceSeconds: number;
  readonly firstRetrySeconds = 15;
  readonly keptSeconds = 35 * 24 * 60 * 60;
  protected readonly gate: OutgoingDeps;
  /** The start of every link. */
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

  /** Only the gate with the lease of a target sends to it, so that all gates together keep the target's pace. */
  async take(
    { id: target }: SlotTarget,
    _most: number,
    send: (parcels: readonly LeasedDelivery[][]) => Promise<void>,
  ): Promise<void> {
    const { gate, channel } = this;
    await gate.leases.hold({ queue: channel, name: target }, async () => {
      const parcel = await claimDeliveries(gate, { channel, target, limit: MOST_AT_ONCE }, LEASE_SECONDS);
      // Another gate may have sent these deliveries since the target was listed as due.
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
      // Lets the gate answer incoming requests in between.
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
      // If all listed deliveries are dropped, the unlisted ones, which are only counted, are dropped too.
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

  /** Sends everything that is due for a target together. Does not throw for failures of the other side. */
  protected abstract tell(target: string, tellings: Tellings, unlisted: number): Promise<Told>;

  /** The earliest time of the next message to the target. */
  async #earliest(target: string): Promise<Instant> {
    const lastSentAt = await this.gate.storage.read.findLastSentAt(this.channel, target);
    return lastSentAt === undefined ? '' : addSeconds(lastSentAt, this.paceSeconds);
  }
}

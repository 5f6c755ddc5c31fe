import type { Channel, LeasedDelivery } from '../../gate/outbox/delivery.ts';
import type { Answer, Fate } from '../../gate/outbox/settle-deliveries.ts';
import type { OutgoingTransaction } from '../outgoing-deps.ts';
import type { SendSlots, SlotTarget } from './send-slots.ts';

export interface Sent {
  /** Null: nothing was sent. */
  answer: Answer | null;
  /** Of those that were not sent with the others. */
  unsent?: ReadonlyMap<LeasedDelivery, Fate>;
  /** What else is written of it, in the transaction that settles it. */
  note?: (tx: OutgoingTransaction) => Promise<void>;
}

/** A channel, with its figures and its way to send. The outbox does the rest. */
export interface Sender<T extends SlotTarget = SlotTarget> {
  readonly channel: Channel;
  /** How much is sent at once. */
  readonly slots: SendSlots;
  /** Of the first wait after a failure; each one after that is twice as long. */
  readonly firstRetrySeconds: number;
  /** So long it is known what was sent, and how it went. */
  readonly keptSeconds: number;
  /** Whether this channel can send anything. */
  readonly ready: boolean;
  /** Those that have something due, and may be sent to. */
  listDue(): Promise<readonly T[]>;
  /** Takes what is due, in at most so many parcels; hands them over while they are held. */
  take(target: T, most: number, send: (parcels: readonly LeasedDelivery[][]) => Promise<void>): Promise<void>;
  /** Sends one parcel. Does not throw for what the other side does. */
  send(target: T, parcel: readonly LeasedDelivery[]): Promise<Sent>;
  /** Ends and deletes what nobody needs any more; answers how many were given up. */
  sweep?(): Promise<number>;
}

import type { Channel, LeasedDelivery } from '../../gate/outbox/delivery.ts';
import type { Answer, Fate } from '../../gate/outbox/settle-deliveries.ts';
import type { OutgoingTransaction } from '../outgoing-deps.ts';
import type { SendSlots, SlotTarget } from './send-slots.ts';

export interface Sent {
  /** Null: nothing was sent. */
  answer: Answer | null;
  /** The fate of deliveries that were not sent with the others. */
  unsent?: ReadonlyMap<LeasedDelivery, Fate>;
  /** Writes further facts about the parcel, in the transaction that settles it. */
  note?: (tx: OutgoingTransaction) => Promise<void>;
}

/** A channel: its limits, its intervals and its way to send. The outbox does everything else. */
export interface Sender<T extends SlotTarget = SlotTarget> {
  readonly channel: Channel;
  /** How much is sent at the same time. */
  readonly slots: SendSlots;
  /** Seconds before the first retry. Each later wait is twice as long. */
  readonly firstRetrySeconds: number;
  /** How long the gate keeps finished deliveries and their results. */
  readonly keptSeconds: number;
  /** Whether this channel can send anything. */
  readonly ready: boolean;
  /** Targets that have a delivery due and may be sent to. */
  listDue(): Promise<readonly T[]>;
  /** Leases due deliveries in at most `most` parcels, and passes them to `send` while the lease lasts. */
  take(target: T, most: number, send: (parcels: readonly LeasedDelivery[][]) => Promise<void>): Promise<void>;
  /** Sends one parcel. Does not throw for failures of the other side. */
  send(target: T, parcel: readonly LeasedDelivery[]): Promise<Sent>;
  /** Ends and deletes deliveries that are no longer needed. Returns how many were given up. */
  sweep?(): Promise<number>;
}

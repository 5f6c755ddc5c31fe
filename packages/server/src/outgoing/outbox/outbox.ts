/**
 * Sends the deliveries in the outbox. Readers of the log add deliveries, and each channel sends its own. No channel
 * waits for another, and nothing happens inside a request. Each step begins and ends with the state in the database, so
 * a stop loses nothing. A delivery that was being sent at a stop is sent again. Each gate runs one outbox, and takes
 * over the work that another gate leaves.
 */
import type { LeasedDelivery } from '../../gate/outbox/delivery.ts';
import type { LogReader } from '../../gate/outbox/log-reader.ts';
import { type Fate, settleDeliveries } from '../../gate/outbox/settle-deliveries.ts';
import { sweepDeliveries } from '../../gate/outbox/sweep-outbox.ts';
import type { OutgoingDeps } from '../outgoing-deps.ts';
import type { SlotTarget } from './send-slots.ts';
import type { Sender } from './sender.ts';
import { SoonAgain } from './soon-again.ts';

export interface OutboxOptions {
  readers: readonly LogReader[];
  senders: readonly Sender[];
  onError: (error: unknown, what: string) => void;
  /** From 0 to 1. Spreads the retries of deliveries that failed together. */
  random?: () => number;
  /** Cuts everything that is still being sent. Called when the outbox stops. */
  cut?: () => void;
}

/** Counts of this gate since its start. */
interface Counts {
  sent: number;
  failed: number;
  givenUp: number;
}

const EVERY_MS = 1000;
const SWEEP_EVERY_MS = 10_000;
const STOP_MS = 1500;

export class Outbox {
  readonly toPeople: Counts = { sent: 0, failed: 0, givenUp: 0 };
  readonly toWebhooks: Counts = { sent: 0, failed: 0, givenUp: 0 };
  readonly #gate: OutgoingDeps;
  readonly #options: OutboxOptions;
  readonly #random: () => number;
  readonly #reading: readonly { reader: LogReader; turn: SoonAgain }[];
  readonly #delivering = new Map<Sender, SoonAgain>();
  readonly #sweeping: SoonAgain;
  readonly #sending = new Set<Promise<unknown>>();
  readonly #inHand = new Set<readonly LeasedDelivery[]>();
  #timer: NodeJS.Timeout | undefined;
  #stopListening: (() => void) | undefined;
  #sweptAt = Number.NEGATIVE_INFINITY;
  #stopping: Promise<void> | undefined;

  constructor(gate: OutgoingDeps, options: OutboxOptions) {
    this.#gate = gate;
    this.#options = options;
    this.#random = options.random ?? Math.random;
    this.#reading = options.readers.map((reader) => ({
      reader,
      turn: this.#inTurn(unreadable(reader), () => this.#read(reader, false)),
    }));
    for (const sender of options.senders) {
      const turn = this.#inTurn(`${sender.channel} could not be delivered`, () => this.#beginDue(sender));
      this.#delivering.set(sender, turn);
    }
    this.#sweeping = this.#inTurn('old deliveries could not be swept', async () => {
      if (performance.now() - this.#sweptAt >= SWEEP_EVERY_MS) await this.#sweep();
    });
  }

  /** Takes over deliveries that this or another gate left unsent, and continues as events are sealed. */
  start(): void {
    this.#stopListening = this.#gate.ledger.onSealed(() => {
      for (const { reader, turn } of this.#reading) if (reader.everySeal) turn.soon();
    });
    // A round also finds events that other gates sealed.
    this.#timer = setInterval(() => this.#round(), EVERY_MS);
    this.#round();
  }

  /** Resolves soon: sends that take too long are cut, and their deliveries are released for another gate. */
  stop(): Promise<void> {
    this.#stopping ??= this.#stop();
    return this.#stopping;
  }

  async #stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopListening?.();
    // Gives running attempts a moment to end, because a delivery that is cut off is sent again.
    const cutting = setTimeout(() => this.#options.cut?.(), STOP_MS);
    const { promise, resolve } = Promise.withResolvers<void>();
    const patience = setTimeout(resolve, 2 * STOP_MS);
    await Promise.race([this.#idle(), promise]);
    clearTimeout(cutting);
    clearTimeout(patience);
    this.#options.cut?.();
    // A send to a mail server that hangs cannot be cut off. The gate releases that delivery as well, so it may be sent
    // twice.
    await this.#try('deliveries could not be given back', () => this.#giveBack([...this.#inHand].flat()));
  }

  async #giveBack(deliveries: readonly LeasedDelivery[]): Promise<void> {
    if (deliveries.length === 0) return;
    const dueAt = this.#gate.clock.now();
    await this.#gate.storage.transaction(
      async (tx) => {
        for (const { position, holder } of deliveries) await tx.releaseDelivery(position, holder, dueAt);
      },
      { guarded: true },
    );
  }

  get #stopped(): boolean {
    return this.#stopping !== undefined;
  }

  /**
   * Reads everything sealed and sends everything due until nothing is left. For callers that cannot wait for the next
   * round.
   */
  async runOnce(): Promise<void> {
    for (const { reader } of this.#reading) await this.#read(reader, true);
    for (let parcels = -1; parcels !== 0; ) {
      const begun = await Promise.all(this.#options.senders.map((sender) => this.#beginDue(sender)));
      const counts = await Promise.all(begun.flat());
      parcels = counts.reduce((sum, count) => sum + count, 0);
    }
    await this.#sweep();
  }

  get #turns(): SoonAgain[] {
    return [...this.#reading.map(({ turn }) => turn), ...this.#delivering.values(), this.#sweeping];
  }

  #round(): void {
    for (const turn of this.#turns) turn.soon();
  }

  #inTurn(what: string, work: () => Promise<unknown>): SoonAgain {
    return new SoonAgain(async () => {
      if (!this.#stopped) await this.#try(what, work);
    });
  }

  async #try<T>(what: string, work: () => Promise<T>): Promise<T | undefined> {
    try {
      return await work();
    } catch (error) {
      this.#report(error, what);
      return undefined;
    }
  }

  #report(error: unknown, what: string): void {
    // Work that was cut off may still use the storage after it is closed. Such errors are not reported.
    if (!this.#stopped) this.#options.onError(error, what);
  }

  async #read(reader: LogReader, atOnce: boolean): Promise<void> {
    // A project that fails is tried at each of its turns, but reported only once.
    const reported = new Set<string | null>();
    for await (const { projectId, run } of reader.read(atOnce)) {
      if (this.#stopped) return;
      try {
        await run();
      } catch (error) {
        if (!reported.has(projectId)) this.#report(error, unreadable(reader, projectId));
        reported.add(projectId);
      }
      // Starts due deliveries after each step, so that they do not wait for a long log.
      if (!atOnce) for (const turn of this.#delivering.values()) turn.soon();
    }
  }

  /** Starts sending due deliveries while there are free slots. Each promise resolves to the number of parcels sent. */
  async #beginDue(sender: Sender): Promise<Promise<number>[]> {
    if (!sender.ready) return [];
    const left = sender.slots.rotated(await sender.listDue());
    const lane = async (): Promise<number> => {
      let parcels = 0;
      for (let target = left.shift(); target && !this.#stopped; target = left.shift()) {
        parcels += await this.#deliverTo(sender, target);
      }
      return parcels;
    };
    return Array.from({ length: Math.min(left.length, sender.slots.free) }, () => this.#track(lane()));
  }

  #track<T>(sending: Promise<T>): Promise<T> {
    this.#sending.add(sending);
    sending.finally(() => this.#sending.delete(sending));
    return sending;
  }

  async #deliverTo(sender: Sender, target: SlotTarget): Promise<number> {
    let room = sender.slots.take(target);
    if (room === 0) return 0;
    const give = (count: number): void => {
      room -= count;
      sender.slots.give(target.id, count);
    };
    let begun = 0;
    await this.#try(`${sender.channel} could not be delivered`, () =>
      sender.take(target, room, async (parcels) => {
        begun = parcels.length;
        give(room - begun);
        const sent = parcels.map(async (parcel) => {
          await this.#try(`${sender.channel} could not be delivered`, () =>
            this.#send(sender, target, parcel),
          );
          give(1);
          // This target may have more deliveries, and other deliveries may wait for a free slot.
          if (this.#timer) this.#delivering.get(sender)?.soon();
        });
        await Promise.all(sent);
      }),
    );
    give(room);
    return begun;
  }

  async #send(sender: Sender, target: SlotTarget, parcel: readonly LeasedDelivery[]): Promise<void> {
    const at = this.#gate.clock.now();
    const began = performance.now();
    this.#inHand.add(parcel);
    const { answer, unsent, note } = await sender
      .send(target, parcel)
      .finally(() => this.#inHand.delete(parcel));
    const durationMs = Math.round(performance.now() - began);
    // An attempt that was not started, or that this gate cut off, says nothing about the other side.
    const isSaid = answer !== null && !(this.#stopped && answer.kind === 'failed');
    const fate: Fate = isSaid ? { ...answer, at, durationMs } : { kind: 'later', at: this.#gate.clock.now() };
    const fates = new Map(parcel.map((delivery) => [delivery, unsent?.get(delivery) ?? fate]));
    const delivered = fate.kind === 'delivered';
    if (isSaid) sender.slots.learn(target.id, { delivered, durationMs });
    const retries = { firstRetrySeconds: sender.firstRetrySeconds, random: this.#random() };
    const settled = await settleDeliveries(this.#gate, fates, retries, isSaid || !answer ? note : undefined);
    const counts = this.#countsOf(sender);
    if (delivered) counts.sent += parcel.length - (unsent?.size ?? 0);
    else if (isSaid) counts.failed += 1;
    counts.givenUp += settled.filter((end) => end === 'failed').length;
  }

  #countsOf({ channel }: Sender): Counts {
    return channel === 'webhook' ? this.toWebhooks : this.toPeople;
  }

  /** Resolves when nothing is being read or sent. */
  async #idle(): Promise<void> {
    for (const turn of this.#turns) await turn.idle();
    while (this.#sending.size > 0) await Promise.all(this.#sending);
  }

  async #sweep(): Promise<void> {
    this.#sweptAt = performance.now();
    for (const sender of this.#options.senders) {
      const given = await sweepDeliveries(this.#gate, sender);
      this.#countsOf(sender).givenUp += given + ((await sender.sweep?.()) ?? 0);
    }
  }
}

function unreadable({ what }: LogReader, projectId: string | null = null): string {
  return `the log${projectId === null ? '' : ` of ${projectId}`} could not be read for ${what}`;
}

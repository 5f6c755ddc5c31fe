/**
 * Sends events to those who asked for them. A reader of the log keeps deliveries in the database; what is due is claimed
 * there, sent, and settled there. Any gate does each of it, none knows of the others, and what one leaves behind another
 * takes up.
 */

import { claimDeliveries, LONGEST_ATTEMPT_SECONDS } from '../../gate/webhooks/claim-deliveries.ts';
import { fillDeliveries, WEBHOOK_READER } from '../../gate/webhooks/fill-deliveries.ts';
import { settleDelivery } from '../../gate/webhooks/settle-delivery.ts';
import { forgetOldDeliveries, giveUpStranded } from '../../gate/webhooks/sweep-webhooks.ts';
import type { LeasedDelivery, Webhook } from '../../gate/webhooks/webhook.ts';
import type { WebhookDeps } from '../../gate/webhooks/webhook-deps.ts';
import { Outgoing } from '../outgoing.ts';
import type { AddressRange } from '../outgoing-addresses.ts';
import { sendDelivery } from './send-delivery.ts';
import { SendSlots } from './send-slots.ts';

export interface WebhooksOptions {
  outgoing: Outgoing;
  onError: (error: unknown, what: string) => void;
  /** From 0 to 1: spreads what failed together. */
  random?: () => number;
}

const EVERY_MS = 1000;
const SWEEP_EVERY_MS = 10_000;
const STOP_MS = 1500;

/** The door webhooks go out by: it connects soon or not at all, and does not wait for long answers. */
export function openWebhookClient(allowedPrivate: readonly AddressRange[]): Outgoing {
  return new Outgoing({
    allowedPrivate,
    timeoutMs: LONGEST_ATTEMPT_SECONDS * 1000,
    connectTimeoutMs: 5000,
    mostAnswerMs: 2000,
    mostAnswerBytes: 4096,
    keepsConnections: true,
  });
}

export class Webhooks {
  /** Since the start, of this gate. */
  readonly counts = { sent: 0, failed: 0, givenUp: 0 };
  readonly #gate: WebhookDeps;
  readonly #outgoing: Outgoing;
  readonly #onError: WebhooksOptions['onError'];
  readonly #random: () => number;
  readonly #sendSlots = new SendSlots();
  readonly #sending = new Set<Promise<void>>();
  #inRound: Promise<void> | undefined;
  #roundAgain = false;
  /** Whether the log may have gone on since it was read. */
  #toRead = false;
  #timer: NodeJS.Timeout | undefined;
  #stopListening: (() => void) | undefined;
  #sweptAt = Number.NEGATIVE_INFINITY;
  #stopped = false;

  constructor(gate: WebhookDeps, { outgoing, onError, random = Math.random }: WebhooksOptions) {
    this.#gate = gate;
    this.#outgoing = outgoing;
    this.#onError = onError;
    this.#random = random;
  }

  /** Takes up what was left, by this gate or another, and goes on as events are sealed. */
  start(): void {
    // A turn looks by itself at what other gates sealed; what this one did is not to wait for it.
    this.#stopListening = this.#gate.ledger.onSealed(() => this.#readSoon());
    this.#timer = setInterval(() => this.#readSoon(), EVERY_MS);
    this.#readSoon();
  }

  /** Resolves soon: what is under way is cut, and given back for the next who takes it. */
  async stop(): Promise<void> {
    this.#stopped = true;
    clearInterval(this.#timer);
    this.#stopListening?.();
    // What was begun ends: cut off, it would be sent once more.
    const cutting = setTimeout(() => this.#outgoing.close(), STOP_MS);
    const { promise, resolve } = Promise.withResolvers<void>();
    const patience = setTimeout(resolve, 2 * STOP_MS);
    await Promise.race([this.#idle(), promise]);
    clearTimeout(cutting);
    clearTimeout(patience);
    this.#outgoing.close();
  }

  /** Reads all that was sealed and sends all that is due, until nothing is; for those who do not wait for a turn. */
  async runOnce(): Promise<void> {
    await this.#fill();
    for (let begun = -1; begun !== 0; ) {
      begun = await this.#deliver();
      await this.#idle();
    }
    await this.#sweep();
  }

  #readSoon(): void {
    this.#toRead = true;
    this.#roundSoon();
  }

  #roundSoon(): void {
    this.#roundAgain = true;
    if (this.#inRound || this.#stopped) return;
    this.#inRound = this.#rounds().finally(() => {
      this.#inRound = undefined;
    });
  }

  async #rounds(): Promise<void> {
    while (this.#roundAgain && !this.#stopped) {
      this.#roundAgain = false;
      if (this.#toRead) {
        this.#toRead = false;
        await this.#try('the log could not be read for webhooks', () => this.#fill());
      }
      await this.#try('webhooks could not be delivered', () => this.#deliver());
      if (performance.now() - this.#sweptAt < SWEEP_EVERY_MS) continue;
      await this.#try('old deliveries of webhooks could not be swept', () => this.#sweep());
    }
  }

  async #try(what: string, work: () => Promise<unknown>): Promise<void> {
    try {
      await work();
    } catch (error) {
      // The storage may be closed under what was cut off.
      if (!this.#stopped) this.#onError(error, what);
    }
  }

  /** A page of each project in turn: a log that grows faster than it is read keeps nobody else waiting. */
  async #fill(): Promise<void> {
    for (let isBehind = true; isBehind; ) {
      isBehind = false;
      for (const projectId of await this.#gate.storage.read.listProjectsToDeliver(WEBHOOK_READER)) {
        if (this.#stopped) return;
        if ((await fillDeliveries(this.#gate, projectId)) === 'caught_up') continue;
        isBehind = true;
        // What is due is sent between two pages, however long the log that is read.
        await this.#deliver();
      }
    }
  }

  /** Begins to send what is due, as far as there is room; answers how much that was. */
  async #deliver(): Promise<number> {
    const due = await this.#gate.storage.read.listDueWebhooks(this.#gate.clock.now());
    const begun = await Promise.all(this.#sendSlots.rotated(due).map((webhook) => this.#deliverTo(webhook)));
    return begun.reduce((sum, count) => sum + count, 0);
  }

  async #deliverTo(webhook: Webhook): Promise<number> {
    const room = this.#stopped ? 0 : this.#sendSlots.take(webhook);
    if (room === 0) return 0;
    let begun = 0;
    try {
      for (const delivery of await claimDeliveries(this.#gate, webhook, room)) {
        this.#begin(webhook, delivery);
        begun += 1;
      }
    } finally {
      this.#sendSlots.give(webhook.id, room - begun);
    }
    return begun;
  }

  #begin(webhook: Webhook, delivery: LeasedDelivery): void {
    const send = this.#try('a webhook could not be delivered', () => this.#send(webhook, delivery)).finally(
      () => {
        this.#sending.delete(send);
        this.#sendSlots.give(webhook.id);
        // There may be more of it, or of what had no room.
        if (this.#timer) this.#roundSoon();
      },
    );
    this.#sending.add(send);
  }

  async #send(webhook: Webhook, delivery: LeasedDelivery): Promise<void> {
    const gate = this.#gate;
    const outcome = await sendDelivery(gate, this.#outgoing, webhook, delivery);
    if (outcome.kind === 'too_late' || (this.#stopped && outcome.kind === 'failed')) {
      // Not begun, or cut off by us: that says nothing of the endpoint.
      const dueAt = gate.clock.now();
      const { position, holder } = delivery;
      await gate.storage.transaction((tx) => tx.releaseDelivery(position, holder, dueAt), { guarded: true });
      return;
    }
    const delivered = outcome.kind === 'delivered';
    this.#sendSlots.learn(webhook.id, { delivered, durationMs: outcome.attempt.durationMs });
    const settled = await settleDelivery(gate, delivery, outcome, this.#random());
    if (delivered) this.counts.sent += 1;
    else this.counts.failed += 1;
    if (settled === 'failed') this.counts.givenUp += 1;
  }

  /** Resolves when nothing is being sent. */
  async #idle(): Promise<void> {
    await this.#inRound;
    while (this.#sending.size > 0) await Promise.all(this.#sending);
  }

  async #sweep(): Promise<void> {
    this.#sweptAt = performance.now();
    this.counts.givenUp += await giveUpStranded(this.#gate);
    await forgetOldDeliveries(this.#gate);
  }
}

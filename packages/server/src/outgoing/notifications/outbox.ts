/**
 * Takes what waits in the outbox to where it belongs: one channel, many targets beside one another. Everything is in the
 * database before and after each step, so a stop loses nothing; what was under way then is sent once more.
 */
import { nextAttemptAt } from '../../gate/kernel/backoff.ts';
import { addSeconds } from '../../gate/kernel/instant.ts';
import { yieldToEventLoop } from '../../gate/kernel/yield-to-event-loop.ts';
import type { DoneState, QueuedNotification } from '../../gate/notifications/notification.ts';
import type { NotificationDeps } from '../../gate/notifications/notification-deps.ts';
import { type Telling, toDue } from '../../gate/notifications/to-telling.ts';
import type { Handover, Sender } from './senders.ts';
import type { Tellings } from './to-mail.ts';

/** Rows looked at for targets in one round; of one target, those that go into one message. */
const MOST_SCANNED = 1000;
const MOST_AT_ONCE = 200;
const FIRST_RETRY_SECONDS = 15;

/** Counts since the start. */
export interface OutboxCounts {
  sent: number;
  failed: number;
  givenUp: number;
}

export class Outbox {
  readonly counts: OutboxCounts = { sent: 0, failed: 0, givenUp: 0 };
  readonly #gate: NotificationDeps;
  readonly #sender: Sender;
  readonly #random: () => number;
  readonly #onError: (error: unknown) => void;
  readonly #underWay = new Set<string>();

  constructor(
    gate: NotificationDeps,
    sender: Sender,
    { onError, random = Math.random }: { onError: (error: unknown) => void; random?: () => number },
  ) {
    this.#gate = gate;
    this.#sender = sender;
    this.#random = random;
    this.#onError = onError;
  }

  /**
   * Delivers what is due now, to targets that are not served already. Resolves when each of it was sent, put off or
   * given up. May be called again meanwhile: who hangs holds one lane, and the others go on.
   */
  async deliverDue(): Promise<void> {
    const { channel, lanes, ready } = this.#sender;
    if (!ready || this.#underWay.size >= lanes) return;
    const due = await this.#gate.storage.read.listDueNotifications(
      channel,
      this.#gate.clock.now(),
      MOST_SCANNED,
    );
    const targets = [...new Set(due.map(({ target }) => target))];
    const lane = async (): Promise<void> => {
      for (let target = targets.shift(); target !== undefined; target = targets.shift()) {
        if (!this.#underWay.has(target)) await this.#deliverTo(target);
      }
    };
    await Promise.all(Array.from({ length: lanes - this.#underWay.size }, lane));
  }

  async #deliverTo(target: string): Promise<void> {
    this.#underWay.add(target);
    try {
      // Another gate may serve it: whoever has the lease does, so that pace and order of a target are kept.
      await this.#gate.leases.hold({ queue: this.#sender.channel, name: target }, () =>
        this.#deliver(target),
      );
    } catch (error) {
      // The gate's own fault, or the database's: the rows wait as they are.
      this.#onError(error);
    } finally {
      this.#underWay.delete(target);
    }
  }

  async #deliver(target: string): Promise<void> {
    const { clock } = this.#gate;
    const { read } = this.#gate.storage;
    const { channel, paceSeconds } = this.#sender;
    const queued = await read.listDueFor(channel, target, clock.now(), MOST_AT_ONCE);
    // Another gate was here since it was seen to be due.
    if (queued.length === 0) return;
    const lastSentAt = await read.findLastSentAt(channel, target);
    const earliest = lastSentAt && addSeconds(lastSentAt, paceSeconds);
    if (earliest && earliest > clock.now()) return this.#postpone(queued, earliest);
    const { rows, tellings, later } = await this.#pollAgain(queued);
    const [first, ...others] = tellings;
    const unlisted = await read.countUnlisted(channel, target);
    if (!first) {
      // Of what was only counted there is as little to say as of what was listed.
      if (later === 0) await this.#forgetUnlisted(target, unlisted);
      return;
    }
    const handover = await this.#sender.send(target, [first, ...others] satisfies Tellings, unlisted);
    await this.#settle(target, rows, handover, unlisted);
  }

  /** What there is nothing more to say of is dropped; what is not to disturb anybody now is put off. */
  async #pollAgain(
    queued: readonly QueuedNotification[],
  ): Promise<{ rows: QueuedNotification[]; tellings: Telling[]; later: number }> {
    const rows: QueuedNotification[] = [];
    const tellings: Telling[] = [];
    const dropped: QueuedNotification[] = [];
    const later: { row: QueuedNotification; at: string }[] = [];
    for (const [index, row] of queued.entries()) {
      // Requests that come in meanwhile are answered in between.
      if (index % 10 === 9) await yieldToEventLoop();
      const due = await toDue(this.#gate, row);
      if (due.kind === 'dropped') dropped.push(row);
      else if (due.kind === 'later') later.push({ row, at: due.at });
      else {
        rows.push(row);
        tellings.push(due.telling);
      }
    }
    if (dropped.length > 0) await this.#finish(dropped, 'dropped');
    if (later.length > 0) {
      await this.#gate.storage.transaction(async (tx) => {
        for (const { row, at } of later) await tx.postponeNotification(row.position, at, null);
      });
    }
    return { rows, tellings, later: later.length };
  }

  async #settle(
    target: string,
    rows: readonly QueuedNotification[],
    handover: Handover,
    unlisted: number,
  ): Promise<void> {
    if (handover.kind === 'sent') {
      this.counts.sent += rows.length;
      await this.#finish(rows, 'sent');
      return this.#forgetUnlisted(target, unlisted);
    }
    this.counts.failed += 1;
    if (handover.kind === 'gone') return this.#giveUp(rows);
    const now = this.#gate.clock.now();
    const random = this.#random();
    const pace = { firstSeconds: FIRST_RETRY_SECONDS, atLeastSeconds: handover.afterSeconds };
    const again = rows.map((row) => ({ row, at: nextAttemptAt(row, now, random, pace) }));
    await this.#giveUp(again.filter(({ at }) => at === null).map(({ row }) => row));
    await this.#gate.storage.transaction(async (tx) => {
      for (const { row, at } of again) {
        if (at !== null) await tx.postponeNotification(row.position, at, handover.error);
      }
    });
  }

  async #forgetUnlisted(target: string, count: number): Promise<void> {
    if (count === 0) return;
    const { channel } = this.#sender;
    await this.#gate.storage.transaction((tx) => tx.subtractUnlisted(channel, target, count));
  }

  async #postpone(rows: readonly QueuedNotification[], dueAt: string): Promise<void> {
    await this.#gate.storage.transaction(async (tx) => {
      for (const { position } of rows) await tx.postponeNotification(position, dueAt, null);
    });
  }

  async #giveUp(rows: readonly QueuedNotification[]): Promise<void> {
    if (rows.length === 0) return;
    this.counts.givenUp += rows.length;
    await this.#finish(rows, 'given_up');
  }

  async #finish(rows: readonly QueuedNotification[], state: DoneState): Promise<void> {
    const at = this.#gate.clock.now();
    await this.#gate.storage.transaction(async (tx) => {
      for (const { position } of rows) await tx.finishNotification(position, state, at);
    });
  }
}

/**
 * Tells people. A reader of the log fills the outbox, each channel empties its own part of it: none waits for another,
 * and nothing of it happens inside a request.
 */

import { addSeconds } from '../../gate/kernel/instant.ts';
import type { NotificationDeps } from '../../gate/notifications/notification-deps.ts';
import { readLog, readReminders } from '../../gate/notifications/read-log.ts';
import { Outbox } from './outbox.ts';
import type { Sender } from './senders.ts';

export interface NotificationsOptions {
  senders: readonly Sender[];
  onError: (error: unknown, what: string) => void;
  /** From 0 to 1: spreads what failed together. */
  random?: () => number;
}

const EVERY_MS = 1000;
/** Where nobody can be told, the place in the log moves on only so often. */
const UNREACHABLE_MS = 5000;
const STOP_MS = 2000;
const SWEEP_EVERY_MS = 60_000;
const SWEEP_AT_ONCE = 500;
const KEPT_SECONDS = 35 * 24 * 60 * 60;

export class Notifications {
  readonly #gate: NotificationDeps;
  readonly #onError: NotificationsOptions['onError'];
  readonly #outboxes: readonly Outbox[];
  readonly #toRead = new Set<string>();
  readonly #notBefore = new Map<string, number>();
  readonly #running = new Map<object, Promise<void>>();
  #waiting = 0;
  #timer: NodeJS.Timeout | undefined;
  #stopListening: (() => void) | undefined;
  #sweptAt = 0;
  #stopped = false;

  constructor(gate: NotificationDeps, { senders, onError, random }: NotificationsOptions) {
    this.#gate = gate;
    // The storage may be closed under what was cut off.
    this.#onError = (error, what) => {
      if (!this.#stopped) onError(error, what);
    };
    this.#outboxes = senders.map(
      (sender) =>
        new Outbox(gate, sender, {
          onError: (error) => this.#onError(error, `${sender.channel} could not be delivered`),
          ...(random ? { random } : {}),
        }),
    );
  }

  /** Takes up what an earlier process did not come to, and goes on as events are sealed. */
  async start(): Promise<void> {
    for (const { id } of await this.#gate.storage.read.listProjects()) this.#toRead.add(id);
    this.#stopListening = this.#gate.ledger.onSealed((projectId) => this.#toRead.add(projectId));
    this.#timer = setInterval(() => this.#round(), EVERY_MS);
  }

  /** Resolves when what is under way has ended, and soon in any case: what then is cut off is sent once more later. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    this.#stopListening?.();
    const { promise, resolve } = Promise.withResolvers<void>();
    const patience = setTimeout(resolve, STOP_MS);
    await Promise.race([Promise.all(this.#running.values()), promise]);
    clearTimeout(patience);
    this.#stopped = true;
  }

  /** Reads all that was sealed and delivers all that is due, once; for those who do not want to wait for a turn. */
  async runOnce(projectIds: readonly string[] = []): Promise<void> {
    for (const projectId of projectIds) this.#toRead.add(projectId);
    await this.#read(true);
    await Promise.all(this.#outboxes.map((outbox) => outbox.deliverDue()));
  }

  /** For metrics: what waits, and what became of the rest since the start. */
  counts(): { waiting: number; sent: number; failed: number; givenUp: number } {
    const sum = (of: keyof Outbox['counts']): number =>
      this.#outboxes.reduce((total, { counts }) => total + counts[of], 0);
    return { waiting: this.#waiting, sent: sum('sent'), failed: sum('failed'), givenUp: sum('givenUp') };
  }

  /** Each part goes on by itself: a channel that hangs holds up nobody else. */
  #round(): void {
    this.#begin(this.#toRead, 'the log could not be read for notifications', () => this.#read(false));
    for (const outbox of this.#outboxes) {
      // A round begins although the one before has not ended: somebody in it may hang.
      this.#begin({}, 'notifications could not be delivered', () => outbox.deliverDue());
    }
    this.#begin(this, 'old notifications could not be deleted', () => this.#sweep());
  }

  #begin(part: object, what: string, work: () => Promise<void>): void {
    if (this.#running.has(part)) return;
    const run = work()
      .catch((error) => this.#onError(error, what))
      .finally(() => this.#running.delete(part));
    this.#running.set(part, run);
  }

  async #read(atOnce: boolean): Promise<void> {
    for (const projectId of [...this.#toRead]) {
      if (!atOnce && (this.#notBefore.get(projectId) ?? 0) > Date.now()) continue;
      this.#toRead.delete(projectId);
      try {
        await this.#readProject(projectId);
      } catch (error) {
        this.#toRead.add(projectId);
        throw error;
      }
    }
    await readReminders(this.#gate);
  }

  async #readProject(projectId: string): Promise<void> {
    const reading = await readLog(this.#gate, projectId);
    // Should that gate not come to the end of it, this one does.
    if (reading === 'elsewhere') this.#toRead.add(projectId);
    if (reading === 'unreachable') this.#notBefore.set(projectId, Date.now() + UNREACHABLE_MS);
    else this.#notBefore.delete(projectId);
  }

  async #sweep(): Promise<void> {
    if (Date.now() - this.#sweptAt < SWEEP_EVERY_MS) return;
    this.#sweptAt = Date.now();
    const { storage, clock } = this.#gate;
    this.#waiting = await storage.read.countWaitingNotifications();
    const before = addSeconds(clock.now(), -KEPT_SECONDS);
    await storage.transaction((tx) => tx.deleteDoneNotifications(before, SWEEP_AT_ONCE));
  }
}

/**
 * Counts requests of gates that share a database. Each takes pieces of what is left in the minute ahead of need, and
 * counts them down by itself; only the database hands them out, so all gates together never accept more than the limit.
 */
import type { BudgetAsk, BudgetBook } from '../../gate/limits/budget-book.ts';
import { isEmpty, KNOWN_FOR_MS, newPurse, type Purse, receive, remainingIn, wishedInHand } from './purse.ts';
import {
  type BucketState,
  MOST_BUCKETS,
  OVERFLOW,
  type RequestCounts,
  toState,
  WINDOW_MS,
} from './rate-limit.ts';

/** What was not used for so long is given back. */
const IDLE_MS = 1000;
const GIVE_BACK_EVERY_MS = 250;
const WOBBLE_MS = 1000;

interface Waiter {
  resolve(state: BucketState): void;
  reject(error: unknown): void;
}

export interface SharedCounts {
  /** Statements, each for all buckets of the moment. */
  asks: number;
  failedAsks: number;
  granted: number;
  givenBack: number;
}

export class SharedRateLimiter implements RequestCounts {
  readonly counts: SharedCounts = { asks: 0, failedAsks: 0, granted: 0, givenBack: 0 };
  readonly #book: BudgetBook;
  readonly #nowMs: () => number;
  readonly #kind: string;
  readonly #timer: NodeJS.Timeout;
  /** Of the current minute only. */
  readonly #purses = new Map<string, Purse>();
  #minute = 0;
  /** The database's clock less this gate's. */
  #aheadMs = 0;
  #waiting = new Map<Purse, Waiter[]>();
  /** To be filled up before they are empty, or looked after. */
  readonly #toAsk = new Set<Purse>();
  #asked = new Set<Purse>();
  /** By minute and bucket. */
  #givenBack = new Map<string, BudgetAsk>();
  #asking: Promise<void> | undefined;
  #closed = false;

  /** @param kind Stands before the names of all buckets, and keeps them apart from those of other limiters. */
  constructor(book: BudgetBook, nowMs: () => number, kind: string) {
    this.#book = book;
    this.#nowMs = nowMs;
    this.#kind = kind;
    this.#timer = setInterval(() => this.giveBackIdle(), GIVE_BACK_EVERY_MS).unref();
  }

  take(bucket: string, limit: number): BucketState | Promise<BucketState> {
    const now = this.#enterMinute();
    const purse = this.#purseOf(bucket);
    purse.limit = limit;
    purse.usedAt = now;
    if (purse.inHand > 0 && purse.minute === this.#minute) {
      purse.inHand -= 1;
      if (purse.inHand < wishedInHand(purse) / 2 || now - purse.askedAt > KNOWN_FOR_MS) this.#ask(purse);
      return this.#stateOf(purse, now, true);
    }
    if (purse.minute === this.#minute && isEmpty(purse, now)) return this.#stateOf(purse, now, false);
    const { promise, resolve, reject } = Promise.withResolvers<BucketState>();
    const waiters = this.#waiting.get(purse);
    if (waiters) waiters.push({ resolve, reject });
    else this.#waiting.set(purse, [{ resolve, reject }]);
    this.#ask(purse);
    return promise;
  }

  look(bucket: string, limit: number): BucketState {
    const now = this.#enterMinute();
    const purse = this.#purses.get(bucket);
    const remaining = purse && purse.minute >= 0 ? remainingIn({ ...purse, limit }, now) : limit;
    return toState(now + this.#aheadMs, this.#minute, limit, remaining, remaining > 0);
  }

  /** What nobody used for a while, others may need. Called by a timer; tests call it themselves. */
  giveBackIdle(): void {
    const now = this.#enterMinute();
    for (const purse of this.#purses.values()) {
      if (purse.inHand > 0 && now - purse.usedAt >= IDLE_MS) this.#giveBack(purse);
    }
  }

  /** Gives everything back. Resolves when it is, or cannot be. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    this.#enterMinute();
    for (const purse of this.#purses.values()) if (purse.inHand > 0) this.#giveBack(purse);
    await this.#asking;
  }

  #purseOf(bucket: string): Purse {
    const known = this.#purses.get(bucket);
    if (known) return known;
    const key = this.#purses.size < MOST_BUCKETS ? bucket : OVERFLOW;
    const purse = this.#purses.get(key) ?? newPurse(`${this.#kind} ${key}`);
    this.#purses.set(key, purse);
    return purse;
  }

  /** What is in hand is good for the minute in which it was taken, by the database's clock as far as it is known. */
  #enterMinute(): number {
    const now = this.#nowMs();
    const there = now + this.#aheadMs;
    const minute = Math.floor(there / WINDOW_MS);
    // How far ahead the database's clock is changes by what an answer takes; a minute that has ended does not come back.
    const wobbles = minute === this.#minute - 1 && this.#minute * WINDOW_MS - there < WOBBLE_MS;
    if (minute !== this.#minute && !wobbles) {
      this.#minute = minute;
      for (const [key, purse] of this.#purses) {
        // Taken by the clock that counts, before it was known how far this one is off.
        if (purse.minute === minute) continue;
        if (!this.#toAsk.has(purse) && !this.#asked.has(purse)) this.#purses.delete(key);
        else Object.assign(purse, { ...newPurse(purse.bucket), limit: purse.limit });
      }
    }
    return now;
  }

  #stateOf(purse: Purse, now: number, accepted: boolean): BucketState {
    const remaining = accepted ? remainingIn(purse, now) : 0;
    return toState(now + this.#aheadMs, this.#minute, purse.limit, remaining, accepted);
  }

  /** Not in hand any more before anybody is told: an answer that is lost must not leave it in two places. */
  #giveBack(purse: Purse): void {
    const { bucket, limit, minute, inHand } = purse;
    purse.inHand = 0;
    this.counts.givenBack += inHand;
    const name = `${minute} ${bucket}`;
    const want = (this.#givenBack.get(name)?.want ?? 0) - inHand;
    this.#givenBack.set(name, { bucket, limit, minute, want });
    this.#asking ??= this.#askOn();
  }

  #ask(purse: Purse): void {
    this.#toAsk.add(purse);
    this.#asking ??= this.#askOn();
  }

  /** One statement at a time: what comes while it is under way goes with the next one. */
  async #askOn(): Promise<void> {
    // What else comes in this turn goes with it.
    await undefined;
    while (this.#toAsk.size > 0 || this.#givenBack.size > 0) await this.#askOnce();
    this.#asking = undefined;
  }

  async #askOnce(): Promise<void> {
    const givenBack = [...this.#givenBack.values()];
    this.#givenBack = new Map();
    const returned = new Set(givenBack.map(({ bucket }) => bucket));
    const purses = [...this.#toAsk].filter(({ bucket }) => !returned.has(bucket));
    for (const purse of purses) this.#toAsk.delete(purse);
    this.#asked = new Set(purses);
    const waiting = new Map(purses.map((purse) => [purse, this.#waiting.get(purse) ?? []]));
    for (const purse of purses) this.#waiting.delete(purse);
    const asks = purses.map((purse) => this.#askFor(purse, waiting.get(purse)?.length ?? 0));
    this.counts.asks += 1;
    const sentAt = this.#nowMs();
    try {
      const { nowMs, grants } = await this.#book.take([...givenBack, ...asks]);
      const now = this.#nowMs();
      // Half of the way there, half of the way back.
      this.#aheadMs = nowMs - (sentAt + now) / 2;
      const minute = Math.floor(nowMs / WINDOW_MS);
      for (const [purse, waiters] of waiting) {
        const grant = grants.get(purse.bucket) ?? { granted: 0, taken: purse.limit };
        this.counts.granted += grant.granted;
        receive(purse, grant, minute, now);
        this.#serve(purse, waiters, now);
      }
    } catch (error) {
      this.counts.failedAsks += 1;
      // Whoever waits is not let in uncounted: what they ask for could not be done either.
      for (const waiter of [...waiting.values()].flat()) waiter.reject(error);
    } finally {
      this.#asked = new Set();
    }
  }

  #askFor(purse: Purse, waiters: number): BudgetAsk {
    const { bucket, limit, inHand } = purse;
    const ahead = this.#closed ? 0 : wishedInHand(purse);
    return { bucket, limit, minute: null, want: Math.max(0, waiters + ahead - inHand) };
  }

  #serve(purse: Purse, waiters: readonly Waiter[], now: number): void {
    for (const { resolve } of waiters) {
      const accepted = purse.inHand > 0;
      if (accepted) purse.inHand -= 1;
      resolve(
        toState(
          now + this.#aheadMs,
          purse.minute,
          purse.limit,
          accepted ? remainingIn(purse, now) : 0,
          accepted,
        ),
      );
    }
  }
}

/**
 * Counts requests of gates that share a database. Each takes pieces of what is left in the minute ahead of need, and
 * counts them down by itself; only the database hands them out, so all gates together never accept more than the limit.
 */
import type { BudgetAsk, BudgetBook } from '../../gate/limits/budget-book.ts';
import {
  type BucketState,
  MOST_BUCKETS,
  OVERFLOW,
  type RequestCounts,
  toState,
  WINDOW_MS,
} from './rate-limit.ts';
import {
  isEmpty,
  KNOWN_FOR_MS,
  newTokenBucket,
  receive,
  remainingIn,
  type TokenBucket,
  wishedInHand,
} from './token-bucket.ts';

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
  readonly #tokenBuckets = new Map<string, TokenBucket>();
  #minute = 0;
  /** The database's clock less this gate's. */
  #aheadMs = 0;
  #waiting = new Map<TokenBucket, Waiter[]>();
  /** To be filled up before they are empty, or looked after. */
  readonly #toAsk = new Set<TokenBucket>();
  #asked = new Set<TokenBucket>();
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
    const tokenBucket = this.#tokenBucketOf(bucket);
    tokenBucket.limit = limit;
    tokenBucket.usedAt = now;
    if (tokenBucket.inHand > 0 && tokenBucket.minute === this.#minute) {
      tokenBucket.inHand -= 1;
      if (tokenBucket.inHand < wishedInHand(tokenBucket) / 2 || now - tokenBucket.askedAt > KNOWN_FOR_MS)
        this.#ask(tokenBucket);
      return this.#stateOf(tokenBucket, now, true);
    }
    if (tokenBucket.minute === this.#minute && isEmpty(tokenBucket, now))
      return this.#stateOf(tokenBucket, now, false);
    const { promise, resolve, reject } = Promise.withResolvers<BucketState>();
    const waiters = this.#waiting.get(tokenBucket);
    if (waiters) waiters.push({ resolve, reject });
    else this.#waiting.set(tokenBucket, [{ resolve, reject }]);
    this.#ask(tokenBucket);
    return promise;
  }

  peek(bucket: string, limit: number): BucketState {
    const now = this.#enterMinute();
    const tokenBucket = this.#tokenBuckets.get(bucket);
    const remaining =
      tokenBucket && tokenBucket.minute >= 0 ? remainingIn({ ...tokenBucket, limit }, now) : limit;
    return toState(now + this.#aheadMs, this.#minute, limit, remaining, remaining > 0);
  }

  /** What nobody used for a while, others may need. Called by a timer; tests call it themselves. */
  giveBackIdle(): void {
    const now = this.#enterMinute();
    for (const tokenBucket of this.#tokenBuckets.values()) {
      if (tokenBucket.inHand > 0 && now - tokenBucket.usedAt >= IDLE_MS) this.#giveBack(tokenBucket);
    }
  }

  /** Gives everything back. Resolves when it is, or cannot be. */
  async close(): Promise<void> {
    this.#closed = true;
    clearInterval(this.#timer);
    this.#enterMinute();
    for (const tokenBucket of this.#tokenBuckets.values())
      if (tokenBucket.inHand > 0) this.#giveBack(tokenBucket);
    await this.#asking;
  }

  #tokenBucketOf(bucket: string): TokenBucket {
    const known = this.#tokenBuckets.get(bucket);
    if (known) return known;
    const key = this.#tokenBuckets.size < MOST_BUCKETS ? bucket : OVERFLOW;
    const tokenBucket = this.#tokenBuckets.get(key) ?? newTokenBucket(`${this.#kind} ${key}`);
    this.#tokenBuckets.set(key, tokenBucket);
    return tokenBucket;
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
      for (const [key, tokenBucket] of this.#tokenBuckets) {
        // Taken by the clock that counts, before it was known how far this one is off.
        if (tokenBucket.minute === minute) continue;
        if (!this.#toAsk.has(tokenBucket) && !this.#asked.has(tokenBucket)) this.#tokenBuckets.delete(key);
        else Object.assign(tokenBucket, { ...newTokenBucket(tokenBucket.bucket), limit: tokenBucket.limit });
      }
    }
    return now;
  }

  #stateOf(tokenBucket: TokenBucket, now: number, accepted: boolean): BucketState {
    const remaining = accepted ? remainingIn(tokenBucket, now) : 0;
    return toState(now + this.#aheadMs, this.#minute, tokenBucket.limit, remaining, accepted);
  }

  /** Not in hand any more before anybody is told: an answer that is lost must not leave it in two places. */
  #giveBack(tokenBucket: TokenBucket): void {
    const { bucket, limit, minute, inHand } = tokenBucket;
    tokenBucket.inHand = 0;
    this.counts.givenBack += inHand;
    const name = `${minute} ${bucket}`;
    const want = (this.#givenBack.get(name)?.want ?? 0) - inHand;
    this.#givenBack.set(name, { bucket, limit, minute, want });
    this.#asking ??= this.#askOn();
  }

  #ask(tokenBucket: TokenBucket): void {
    this.#toAsk.add(tokenBucket);
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
    const tokenBuckets = [...this.#toAsk].filter(({ bucket }) => !returned.has(bucket));
    for (const tokenBucket of tokenBuckets) this.#toAsk.delete(tokenBucket);
    this.#asked = new Set(tokenBuckets);
    const waiting = new Map(
      tokenBuckets.map((tokenBucket) => [tokenBucket, this.#waiting.get(tokenBucket) ?? []]),
    );
    for (const tokenBucket of tokenBuckets) this.#waiting.delete(tokenBucket);
    const asks = tokenBuckets.map((tokenBucket) =>
      this.#askFor(tokenBucket, waiting.get(tokenBucket)?.length ?? 0),
    );
    this.counts.asks += 1;
    const sentAt = this.#nowMs();
    try {
      const { nowMs, grants } = await this.#book.take([...givenBack, ...asks]);
      const now = this.#nowMs();
      // Half of the way there, half of the way back.
      this.#aheadMs = nowMs - (sentAt + now) / 2;
      const minute = Math.floor(nowMs / WINDOW_MS);
      for (const [tokenBucket, waiters] of waiting) {
        const grant = grants.get(tokenBucket.bucket) ?? { granted: 0, taken: tokenBucket.limit };
        this.counts.granted += grant.granted;
        receive(tokenBucket, grant, minute, now);
        this.#serve(tokenBucket, waiters, now);
      }
    } catch (error) {
      this.counts.failedAsks += 1;
      // Whoever waits is not let in uncounted: what they ask for could not be done either.
      for (const waiter of [...waiting.values()].flat()) waiter.reject(error);
    } finally {
      this.#asked = new Set();
    }
  }

  #askFor(tokenBucket: TokenBucket, waiters: number): BudgetAsk {
    const { bucket, limit, inHand } = tokenBucket;
    const ahead = this.#closed ? 0 : wishedInHand(tokenBucket);
    return { bucket, limit, minute: null, want: Math.max(0, waiters + ahead - inHand) };
  }

  #serve(tokenBucket: TokenBucket, waiters: readonly Waiter[], now: number): void {
    for (const { resolve } of waiters) {
      const accepted = tokenBucket.inHand > 0;
      if (accepted) tokenBucket.inHand -= 1;
      resolve(
        toState(
          now + this.#aheadMs,
          tokenBucket.minute,
          tokenBucket.limit,
          accepted ? remainingIn(tokenBucket, now) : 0,
          accepted,
        ),
      );
    }
  }
}

/**
 * Counts requests of gates that share a database. Each gate takes pieces of the minute's remaining budget ahead of
 * need, and counts them down locally. Only the database gives out pieces, so all gates together never accept more than
 * the limit.
 */
import { setImmediate as endOfTurn } from 'node:timers/promises';
import type { BudgetAsk, BudgetBook } from '../../gate/limits/budget-book.ts';
import {
  type BucketState,
  MOST_BUCKETS,
  OVERFLOW,
  type RequestCounts,
  toState,
  WINDOW_MS,
} from './rate-limit.ts';

/** The largest part of a limit that one gate holds unused. */
const PART_IN_HAND = 1 / 200;
/** Pieces get smaller towards the end of the budget, because other gates cannot use a piece that one gate holds. */
const PART_OF_REST = 1 / 8;
/**
 * After an answer without budget, requests ask again only after this time, because others may have returned budget by
 * then.
 */
const ASK_AGAIN_MS = 100;
/** How long the last answer about other gates' use is valid. */
const KNOWN_FOR_MS = 1000;
/** Budget that is unused for this long is returned. */
const IDLE_MS = 1000;
const GIVE_BACK_EVERY_MS = 250;

/** This gate's part of a bucket. */
interface Share {
  readonly bucket: string;
  limit: number;
  /** The minute of the last answer, by the database's clock. */
  minute: number;
  /** Budget taken for this gate and not used yet. */
  inHand: number;
  /** Budget taken by all gates, as of the last answer. */
  taken: number;
  /** When this gate last asked, by its own clock. */
  askedAt: number;
  usedAt: number;
  waiters: PromiseWithResolvers<BucketState>[];
  isUnderWay: boolean;
}

export interface SharedCounts {
  /** Number of statements. Each covers all current buckets. */
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
  readonly #shares = new Map<string, Share>();
  /** The database's clock minus this gate's. */
  #aheadMs = 0;
  /** Shares with a waiting request, shares to refill before they are empty, or shares to return. */
  readonly #toAsk = new Set<Share>();
  #asking: Promise<void> | undefined;

  /** @param kind Prefix of all bucket names, which separates them from those of other limiters. */
  constructor(book: BudgetBook, nowMs: () => number, kind: string) {
    this.#book = book;
    this.#nowMs = nowMs;
    this.#kind = kind;
    this.#timer = setInterval(() => this.giveBackIdle(), GIVE_BACK_EVERY_MS).unref();
  }

  take(bucket: string, limit: number): BucketState | Promise<BucketState> {
    const now = this.#nowMs();
    const share = this.#shareOf(bucket, now);
    share.limit = limit;
    share.usedAt = now;
    if (share.inHand > 0) {
      share.inHand -= 1;
      if (share.inHand < wishedInHand(share) / 2 || now - share.askedAt > KNOWN_FOR_MS) this.#ask(share);
      return this.#stateOf(share, now, true);
    }
    if (share.taken >= limit && now - share.askedAt < ASK_AGAIN_MS) return this.#stateOf(share, now, false);
    const waiter = Promise.withResolvers<BucketState>();
    share.waiters.push(waiter);
    this.#ask(share);
    return waiter.promise;
  }

  peek(bucket: string, limit: number): BucketState {
    const now = this.#nowMs();
    const share = this.#shares.get(bucket);
    const minute = this.#minuteAt(now);
    const remaining = share && isOf(share, minute) ? remainingIn({ ...share, limit }) : limit;
    return toState(now + this.#aheadMs, minute, limit, remaining, remaining > 0);
  }

  /**
   * Returns budget that was unused for a while, because others may need it, and forgets past minutes. Called by a
   * timer, and by tests.
   */
  giveBackIdle(): void {
    const now = this.#nowMs();
    const minute = this.#minuteAt(now);
    for (const [key, share] of this.#shares) {
      if (!isOf(share, minute)) {
        if (!share.isUnderWay && !this.#toAsk.has(share)) this.#shares.delete(key);
      } else if (share.inHand > 0 && now - share.usedAt >= IDLE_MS) {
        this.#ask(share);
      }
    }
  }

  /** Returns all unused budget. Resolves when that is done, or cannot be done. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#asking;
    for (const share of this.#shares.values()) {
      share.usedAt = -IDLE_MS;
      if (share.inHand > 0) this.#ask(share);
    }
    await this.#asking;
  }

  #minuteAt(now: number): number {
    return Math.floor((now + this.#aheadMs) / WINDOW_MS);
  }

  #shareOf(bucket: string, now: number): Share {
    const key = this.#shares.size < MOST_BUCKETS || this.#shares.has(bucket) ? bucket : OVERFLOW;
    const share = this.#shares.get(key) ?? newShare(`${this.#kind} ${key}`);
    this.#shares.set(key, share);
    // Budget is only valid in the minute in which it was taken.
    if (!isOf(share, this.#minuteAt(now))) Object.assign(share, { inHand: 0, taken: 0 });
    return share;
  }

  #stateOf(share: Share, now: number, accepted: boolean): BucketState {
    const remaining = accepted ? remainingIn(share) : 0;
    return toState(now + this.#aheadMs, share.minute, share.limit, remaining, accepted);
  }

  #ask(share: Share): void {
    this.#toAsk.add(share);
    this.#asking ??= this.#askOn();
  }

  /** One statement at a time. Requests that arrive meanwhile go with the next one. */
  async #askOn(): Promise<void> {
    while (this.#toAsk.size > 0) {
      // Other requests of this turn go with the same statement.
      await endOfTurn();
      const shares = [...this.#toAsk];
      this.#toAsk.clear();
      await this.#askFor(shares);
    }
    this.#asking = undefined;
  }

  async #askFor(shares: readonly Share[]): Promise<void> {
    const sentAt = this.#nowMs();
    const asks = shares.map((share) => this.#toAskOf(share, sentAt));
    const waiting = shares.map((share) => share.waiters.splice(0));
    for (const share of shares) share.isUnderWay = true;
    this.counts.asks += 1;
    try {
      const { nowMs, grants } = await this.#book.take(asks);
      const now = this.#nowMs();
      // Assumes that half of the round trip passed each way.
      this.#aheadMs = nowMs - (sentAt + now) / 2;
      const minute = Math.floor(nowMs / WINDOW_MS);
      for (const [index, share] of shares.entries()) {
        const { granted, taken } = grants.get(share.bucket) ?? { granted: 0, taken: 0 };
        const inHand = Math.max(0, granted) + (share.minute === minute ? share.inHand : 0);
        Object.assign(share, { minute, inHand, taken, askedAt: now });
        this.counts.granted += Math.max(0, granted);
        for (const { resolve } of waiting[index] ?? []) {
          const accepted = share.inHand > 0;
          if (accepted) share.inHand -= 1;
          resolve(this.#stateOf(share, now, accepted));
        }
      }
    } catch (error) {
      this.counts.failedAsks += 1;
      // Rejects the waiting requests, because they must not be admitted uncounted. Without the database they could not
      // be served either.
      for (const { reject } of waiting.flat()) reject(error);
    } finally {
      for (const share of shares) share.isUnderWay = false;
    }
  }

  #toAskOf(share: Share, now: number): BudgetAsk {
    const { bucket, limit, minute, inHand, waiters, usedAt } = share;
    if (now - usedAt < IDLE_MS || waiters.length > 0) {
      return {
        bucket,
        limit,
        minute: null,
        want: Math.max(0, waiters.length + wishedInHand(share) - inHand),
      };
    }
    // Removed before the database learns that it is returned: if the database's answer is lost, the budget must not be
    // held in two places.
    share.inHand = 0;
    this.counts.givenBack += inHand;
    return { bucket, limit, minute, want: -inHand };
  }
}

function newShare(bucket: string): Share {
  const never = { minute: -1, askedAt: -1, usedAt: -1 };
  return { bucket, limit: 0, inHand: 0, taken: 0, waiters: [], isUnderWay: false, ...never };
}

/** The estimate of the database's clock varies with response times, so it may fall back into the previous minute. */
function isOf(share: Share, minute: number): boolean {
  return share.minute === minute || share.minute === minute + 1;
}

/** How much to hold ahead of need. 0 for a small limit or when little is left; then each request asks. */
function wishedInHand({ limit, taken }: Share): number {
  return Math.floor(Math.min(limit * PART_IN_HAND, Math.max(0, limit - taken) * PART_OF_REST));
}

/** The budget that is left in total, as far as this gate knows. Never less than this gate holds. */
function remainingIn({ limit, inHand, taken }: Share): number {
  return inHand + Math.max(0, limit - taken);
}

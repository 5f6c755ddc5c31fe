/** Counts requests in fixed windows of one minute, aligned to the minute (contract §10). */

export const WINDOW_MS = 60_000;

/**
 * Addresses are the only kind of bucket that outsiders can make up. Beyond this number, new addresses share one bucket.
 */
export const MOST_BUCKETS = 100_000;
export const OVERFLOW = 'overflow';

export interface BucketState {
  limit: number;
  remaining: number;
  /** Seconds since the epoch at which the window ends. */
  resetAt: number;
  /** Seconds from now until `resetAt`, at least 1. */
  resetIn: number;
  /** False when this request exceeds the limit. */
  accepted: boolean;
}

export interface RequestCounts {
  /**
   * Counts one request into the bucket. A refused request is not counted, so that `remaining` never goes below zero.
   * Synchronous where possible. Rejects with `service_unavailable` when the rest of the budget cannot be read.
   */
  take(bucket: string, limit: number): BucketState | Promise<BucketState>;
  /** The state of the bucket as far as it is known here. Counts nothing. */
  peek(bucket: string, limit: number): BucketState;
}

/** Counts in memory, for a gate that does not share its database. */
export class RateLimiter implements RequestCounts {
  readonly #nowMs: () => number;
  #window = 0;
  /** Counts of the current window only, so that memory does not grow from minute to minute. */
  #counts = new Map<string, number>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  take(bucket: string, limit: number): BucketState {
    const now = this.#enterWindow();
    const key = this.#counts.size < MOST_BUCKETS || this.#counts.has(bucket) ? bucket : OVERFLOW;
    const used = this.#counts.get(key) ?? 0;
    const accepted = used < limit;
    if (accepted) this.#counts.set(key, used + 1);
    return this.#state(now, limit, accepted ? used + 1 : used, accepted);
  }

  peek(bucket: string, limit: number): BucketState {
    const now = this.#enterWindow();
    const used = this.#counts.get(bucket) ?? 0;
    return this.#state(now, limit, used, used < limit);
  }

  #enterWindow(): number {
    const now = this.#nowMs();
    const window = Math.floor(now / WINDOW_MS);
    if (window !== this.#window) {
      this.#window = window;
      this.#counts = new Map();
    }
    return now;
  }

  #state(now: number, limit: number, used: number, accepted: boolean): BucketState {
    return toState(now, this.#window, limit, limit - used, accepted);
  }
}

export function toState(
  nowMs: number,
  window: number,
  limit: number,
  remaining: number,
  accepted: boolean,
): BucketState {
  const end = (window + 1) * WINDOW_MS;
  return {
    limit,
    remaining: Math.max(0, remaining),
    resetAt: end / 1000,
    resetIn: Math.max(1, Math.ceil((end - nowMs) / 1000)),
    accepted,
  };
}

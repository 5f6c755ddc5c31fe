/** Counts requests in fixed windows of one minute, aligned to the minute (contract §10). */

const WINDOW_MS = 60_000;

/** Addresses are the one kind of bucket that outsiders can make up: beyond so many they share one. */
const MOST_BUCKETS = 100_000;

export interface BucketState {
  limit: number;
  remaining: number;
  /** Seconds since the epoch at which the window ends. */
  resetAt: number;
  /** Seconds from now until then; at least 1. */
  resetIn: number;
  /** False when this request is one too many. */
  accepted: boolean;
}

export class RateLimiter {
  readonly #nowMs: () => number;
  #window = 0;
  /** Of the current window only, so that memory does not outlive the minute. */
  #counts = new Map<string, number>();

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
  }

  /** Counts one request into the bucket. A refused one is not counted, so that `remaining` never goes below zero. */
  take(bucket: string, limit: number): BucketState {
    const now = this.#enterWindow();
    const key = this.#counts.size < MOST_BUCKETS || this.#counts.has(bucket) ? bucket : 'overflow';
    const used = this.#counts.get(key) ?? 0;
    const accepted = used < limit;
    if (accepted) this.#counts.set(key, used + 1);
    return this.#state(now, limit, accepted ? used + 1 : used, accepted);
  }

  /** Where the bucket stands, counting nothing. */
  look(bucket: string, limit: number): BucketState {
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
    const end = (this.#window + 1) * WINDOW_MS;
    return {
      limit,
      remaining: Math.max(0, limit - used),
      resetAt: end / 1000,
      resetIn: Math.max(1, Math.ceil((end - now) / 1000)),
      accepted,
    };
  }
}

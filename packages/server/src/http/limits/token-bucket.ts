/** What a gate has in hand of a bucket that it shares with other gates, and how much it should have. */

/** So small a part of a limit lies in one gate's hand unused at most. */
const PART_IN_HAND = 1 / 200;
/** Towards the end of what is left, pieces get small: what one gate holds, others are refused. */
const PART_OF_REST = 1 / 8;
/** Whoever was told that nothing is left asks again after so long: others may have given back. */
const ASK_AGAIN_MS = 100;
/** Who else takes from the bucket is not known any longer than this. */
export const KNOWN_FOR_MS = 1000;
const RATED_EVERY_MS = 100;

export interface TokenBucket {
  readonly bucket: string;
  /** Since the epoch, by the database's clock; -1: not asked yet. */
  minute: number;
  limit: number;
  /** Taken for this gate, and not used yet. */
  inHand: number;
  /** By all gates, when last asked. */
  taken: number;
  /** What others took by the millisecond, up to `ratedAt`, and how much since. */
  othersPerMs: number;
  othersSince: number;
  ratedAt: number;
  /** By this gate's clock. */
  askedAt: number;
  usedAt: number;
}

export function newTokenBucket(bucket: string): TokenBucket {
  return {
    bucket,
    minute: -1,
    limit: 0,
    inHand: 0,
    taken: 0,
    othersPerMs: 0,
    othersSince: 0,
    ratedAt: -1,
    askedAt: -1,
    usedAt: -1,
  };
}

/** How much is kept in hand ahead of need; 0 for a small limit, and when little is left: then each request asks. */
export function wishedInHand({ limit, taken, minute }: TokenBucket): number {
  const rest = minute < 0 ? limit : Math.max(0, limit - taken);
  return Math.floor(Math.min(limit * PART_IN_HAND, rest * PART_OF_REST));
}

/** Nothing was left when last asked, and that was just now. */
export function isEmpty({ minute, inHand, taken, limit, askedAt }: TokenBucket, nowMs: number): boolean {
  return minute >= 0 && inHand === 0 && taken >= limit && nowMs - askedAt < ASK_AGAIN_MS;
}

/** What is left in total, as far as is known: others go on taking as they did. Never less than what is in hand. */
export function remainingIn(
  { limit, inHand, taken, othersPerMs, askedAt }: TokenBucket,
  nowMs: number,
): number {
  const takenSince = Math.ceil(othersPerMs * (nowMs - askedAt));
  return inHand + Math.max(0, limit - taken - takenSince);
}

/** The answer to what was asked; `inHand` grows by what was granted. */
export function receive(
  tokenBucket: TokenBucket,
  { granted, taken }: { granted: number; taken: number },
  minute: number,
  nowMs: number,
): void {
  if (tokenBucket.minute !== minute) {
    Object.assign(tokenBucket, { minute, inHand: 0, othersPerMs: 0, othersSince: 0, ratedAt: nowMs });
  } else {
    tokenBucket.othersSince += Math.max(0, taken - tokenBucket.taken - granted);
    const elapsed = nowMs - tokenBucket.ratedAt;
    if (elapsed >= RATED_EVERY_MS) {
      Object.assign(tokenBucket, {
        othersPerMs: tokenBucket.othersSince / elapsed,
        othersSince: 0,
        ratedAt: nowMs,
      });
    }
  }
  tokenBucket.inHand += Math.max(0, granted);
  tokenBucket.taken = taken;
  tokenBucket.askedAt = nowMs;
}

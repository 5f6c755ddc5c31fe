import { randomFillSync } from 'node:crypto';
import type { IdPrefix, Ids } from '../gate/kernel/ids.ts';

/** Crockford's base32 in lower case. Its order as text is its order as a number. */
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const PAIRS: readonly string[] = Array.from({ length: 1024 }, (_, n) => digits(n, 2));
const RANDOM_BATCH_BYTES = 4096;
const SALT_BYTES = 16;
/** 40 bits: half of the 80 after the time, written as 8 characters. */
const HALF_BYTES = 5;
const HALF_LIMIT = 2 ** (8 * HALF_BYTES);

/**
 * Ids in the layout of ULID: 48 bits of milliseconds, 80 of randomness. Within a millisecond, or while the clock is
 * behind the latest id, the upper half of the random part counts up. The lower half stays random. So ids neither repeat
 * nor sort before earlier ones, and nobody can guess them from their neighbours.
 *
 * @param nowMs Milliseconds since the epoch.
 * @example createIds().next('int') // 'int_01kaftx2q8n5m9y0a3v7c1d4ez'
 */
export function createIds(nowMs: () => number = Date.now): Ids {
  const pool = Buffer.allocUnsafe(RANDOM_BATCH_BYTES);
  let used = pool.length;
  let lastMs = -1;
  let time = '';
  let upper = 0;

  /** Returns the offset of this many unused random bytes in the pool. */
  function draw(bytes: number): number {
    if (used + bytes > pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    used += bytes;
    return used - bytes;
  }

  function randomHalf(): number {
    return pool.readUIntBE(draw(HALF_BYTES), HALF_BYTES);
  }

  function enter(ms: number): void {
    lastMs = ms;
    time = digits(ms, 10);
    // The first bit stays clear, so that at least 2^39 ids fit in any millisecond.
    upper = Math.floor(randomHalf() / 2);
  }

  return {
    next(prefix: IdPrefix) {
      const ms = nowMs();
      if (ms > lastMs) enter(ms);
      else if (++upper >= HALF_LIMIT) enter(lastMs + 1);
      return `${prefix}_${time}${half(upper)}${half(randomHalf())}`;
    },
    first(prefix, at) {
      return `${prefix}_${digits(Date.parse(at), 10)}${'0'.repeat(16)}`;
    },
    salt() {
      const start = draw(SALT_BYTES);
      return pool.toString('base64url', start, start + SALT_BYTES);
    },
  };
}

/** Eight characters of a number below 2^40. */
function half(value: number): string {
  const high = Math.floor(value / 2 ** 20);
  const low = value % 2 ** 20;
  return `${PAIRS[high >>> 10]}${PAIRS[high & 1023]}${PAIRS[low >>> 10]}${PAIRS[low & 1023]}`;
}

function digits(value: number, length: number): string {
  let text = '';
  for (let rest = value; text.length < length; rest = Math.floor(rest / 32))
    text = ALPHABET[rest % 32] + text;
  return text;
}

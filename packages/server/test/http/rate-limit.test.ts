import { describe, expect, it } from 'vitest';
import { RateLimiter } from '../../src/http/limits/rate-limit.ts';

const NOON = Date.parse('2026-11-20T12:00:00.000Z');

describe('RateLimiter', () => {
  it('accepts requests up to the limit and does not count refused ones', () => {
    const limiter = new RateLimiter(() => NOON);
    const states = Array.from({ length: 4 }, () => limiter.take('a', 2));
    expect(states.map(({ accepted }) => accepted)).toEqual([true, true, false, false]);
    expect(states.map(({ remaining }) => remaining)).toEqual([1, 0, 0, 0]);
  });

  it('starts over at the full minute, not a minute after the first request', () => {
    let now = NOON + 59_000;
    const limiter = new RateLimiter(() => now);
    expect(limiter.take('a', 1)).toMatchObject({ accepted: true, resetAt: NOON / 1000 + 60, resetIn: 1 });
    expect(limiter.take('a', 1).accepted).toBe(false);
    now = NOON + 60_000;
    expect(limiter.take('a', 1)).toMatchObject({ accepted: true, resetAt: NOON / 1000 + 120, resetIn: 60 });
  });

  it('keeps buckets apart, and peeks without counting', () => {
    const limiter = new RateLimiter(() => NOON);
    limiter.take('a', 5);
    expect(limiter.peek('a', 5).remaining).toBe(4);
    expect(limiter.peek('a', 5).remaining).toBe(4);
    expect(limiter.peek('b', 5).remaining).toBe(5);
  });

  it('keeps a bounded number of buckets, and any more share one', () => {
    const limiter = new RateLimiter(() => NOON);
    for (let i = 0; i < 100_000; i += 1) limiter.take(`address ${i}`, 1);
    expect(limiter.take('one more', 1).accepted).toBe(true);
    expect(limiter.take('yet another', 1).accepted).toBe(false);
    expect(limiter.take('address 5', 1).accepted).toBe(false);
  });
});

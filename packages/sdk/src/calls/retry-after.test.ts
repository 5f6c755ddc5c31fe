import { describe, expect, it } from 'vitest';
import { retryAfterMs } from './retry-after.ts';

const NOON = Date.parse('2026-11-20T12:00:00.000Z');
const HOUR = 3_600_000;
const DATE = 'Fri, 20 Nov 2026 12:00:00 GMT';
const RESET = String(NOON / 1000 + 20);

function waitOf(headers: Record<string, string>, { status = 429, now = NOON } = {}): number | null {
  return retryAfterMs(status, new Headers(headers), now);
}

describe('the back-off after a 429', () => {
  it('ends at x-ratelimit-reset', () => {
    expect(waitOf({ 'x-ratelimit-reset': RESET })).toBe(20_000);
    expect(waitOf({ 'x-ratelimit-reset': RESET, date: DATE, 'retry-after': '21' })).toBe(20_000);
  });

  it.each([HOUR, -HOUR])('does not depend on this machine’s clock, which may be wrong (%s ms)', (wrong) => {
    const now = NOON + wrong;
    expect(waitOf({ 'x-ratelimit-reset': RESET, date: DATE }, { now })).toBe(20_000);
    expect(waitOf({ 'x-ratelimit-reset': RESET, 'retry-after': '20' }, { now })).toBe(20_000);
  });

  it.each(['Fri, 20 Nov 2026 13:00:00 GMT', 'Fri, 20 Nov 2026 11:00:00 GMT', 'yesterday'])(
    'uses Retry-After when the Date cannot be right: %s',
    (date) => {
      expect(waitOf({ 'x-ratelimit-reset': RESET, date, 'retry-after': '20' })).toBe(20_000);
    },
  );

  it('is bounded, whatever the answer says', () => {
    expect(waitOf({ 'x-ratelimit-reset': RESET }, { now: NOON - HOUR })).toBe(65_000);
    expect(waitOf({ 'x-ratelimit-reset': RESET }, { now: NOON + HOUR })).toBe(1000);
    expect(waitOf({ 'x-ratelimit-reset': RESET, date: DATE, 'retry-after': '0' })).toBe(20_000);
    expect(waitOf({ 'retry-after': '86400' })).toBe(65_000);
    expect(waitOf({ 'retry-after': '0' })).toBe(100);
  });

  it('is unknown when the answer says nothing usable', () => {
    expect(waitOf({})).toBeNull();
    expect(waitOf({ 'x-ratelimit-reset': 'soon', 'retry-after': '-1' })).toBeNull();
    expect(waitOf({ 'x-ratelimit-reset': RESET }, { status: 503 })).toBeNull();
    expect(waitOf({ 'retry-after': '5' }, { status: 503 })).toBe(5000);
  });
});

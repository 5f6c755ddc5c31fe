import { describe, expect, it } from 'vitest';
import { formatDuration } from './time.tsx';

const MINUTE = 60_000;

describe('what is left', () => {
  it.each([
    [-1, '0:00'],
    [0, '0:00'],
    [59_999, '0:59'],
    [4 * MINUTE + 9_000, '4:09'],
    [10 * MINUTE, '10 min'],
    [59 * MINUTE, '59 min'],
    [60 * MINUTE, '1 h 00 min'],
    [185 * MINUTE, '3 h 05 min'],
    [52 * 60 * MINUTE, '2 d 4 h'],
  ])('%d ms is said as %s', (ms, words) => {
    expect(formatDuration(ms)).toBe(words);
  });
});

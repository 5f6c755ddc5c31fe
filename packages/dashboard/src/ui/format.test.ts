import { describe, expect, it } from 'vitest';
import {
  formatBytes,
  formatCount,
  formatDistance,
  formatDuration,
  formatLifetime,
  localeOf,
} from './format.ts';

const MINUTE = 60_000;

describe('the locale', () => {
  it.each([
    ['en-GB', 'en-GB'],
    ['en-IN', 'en-IN'],
    ['de-DE', 'en-DE'],
    ['fr', 'en-FR'],
    ['pt-BR', 'en-BR'],
    ['en-US@posix', 'en-GB'],
    ['C', 'en-GB'],
    [undefined, 'en-GB'],
  ])('of a reader with %s is %s', (preferred, locale) => {
    expect(localeOf(preferred)).toBe(locale);
  });
});

// Node's locale here is en-US unless the machine sets another one. Another region of English may only change the words
// of the units.
describe('a duration in a label', () => {
  it.each([
    [-1, /^0:00$/],
    [0, /^0:00$/],
    [59_999, /^0:59$/],
    [4 * MINUTE + 9_000, /^4:09$/],
    [10 * MINUTE, /^10 mins?$/],
    [59 * MINUTE, /^59 mins?$/],
    [60 * MINUTE, /^1 hr 0 mins?$/],
    [185 * MINUTE, /^3 hrs? 5 mins?$/],
    [52 * 60 * MINUTE, /^2 days 4 hrs?$/],
  ])('of %d ms matches %s', (ms, words) => {
    expect(formatDuration(ms)).toMatch(words);
  });
});

describe('a duration in a sentence', () => {
  it.each([
    [300, '5 minutes'],
    [60, '1 minute'],
    [90, '90 seconds'],
    [3600, '1 hour'],
    [172_800, '2 days'],
  ])('of %d seconds is "%s"', (seconds, words) => {
    expect(formatLifetime(seconds)).toBe(words);
  });
});

describe('a distance in time', () => {
  it.each([
    [-90_000, '1 minute ago'],
    [-36 * 60 * MINUTE, '1 day ago'],
    [5 * MINUTE, 'in 5 minutes'],
  ])('of %d ms is "%s"', (ms, words) => {
    expect(formatDistance(ms)).toBe(words);
  });
});

describe('a size', () => {
  it.each([
    [1, '1 byte'],
    [2048, '2 kB'],
    [1536, '1.5 kB'],
  ])('of %d bytes is "%s"', (bytes, words) => {
    expect(formatBytes(bytes)).toBe(words);
  });

  it('groups its digits if it is a count', () => {
    expect(formatCount(1234)).toBe('1,234');
  });
});

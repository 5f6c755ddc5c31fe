import { RE2JS } from 're2js';
import { describe, expect, it } from 'vitest';
import { estimatePatternSize } from './pattern-size.ts';

/** Grows patterns from pieces. Equal seeds give equal patterns. */
function grow(seed: number): string {
  let state = seed;
  const draw = (most: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
    return Math.floor((state / 2_147_483_648) * most);
  };
  const pick = (pieces: readonly string[]) => pieces[draw(pieces.length)] ?? '';
  const atom = (depth: number): string => {
    if (depth > 0 && draw(3) === 0) {
      return `${pick(['(', '(?:', '(?i:', '(?P<n>', '(?<m>'])}${sequence(depth - 1)})`;
    }
    return pick(ATOMS);
  };
  const sequence = (depth: number): string =>
    Array.from({ length: 1 + draw(4) }, () => atom(depth) + pick(REPEATS) + pick(['', '', '', '|'])).join('');
  return sequence(3);
}

const ATOMS = [
  ...['a', 'bc', 'é', '🙂', '.', '^', '$', '{', '}', ']', 'a{', '{,5}', '{x}', '\\{', '\\b', '\\d', '\\pL'],
  ...[
    '\\p{Greek}',
    '\\PL',
    '\\x41',
    '\\x{1F642}',
    '\\Qa{9}|(\\E',
    '[a-z]',
    '[^]{5}]',
    '[]a]',
    '[[:alpha:]{]',
  ],
  ...['[\\]{7}]', '(?i)', '(?s-i)', '()', '|', 'x|y', 'foo|fob', '\\$\\(', '\\/', '[^\\d\\s]', '\\z', '\\A'],
];
const REPEATS = ['', '', '', '*', '+?', '?', '{3}', '{0}', '{2,}', '{0,4}', '{1,3}?', '{12}', '{0,0}'];

describe('the estimated size of a pattern', () => {
  it('is at least the size that it compiles to', () => {
    const patterns = Array.from({ length: 10_000 }, (_, seed) => grow(seed + 1));
    const told = patterns.flatMap((source) => {
      try {
        return { source, size: RE2JS.compile(source).programSize(), estimate: estimatePatternSize(source) };
      } catch {
        return [];
      }
    });
    expect(told.length).toBeGreaterThan(1000);
    expect(told.filter(({ size, estimate }) => estimate < size)).toEqual([]);
  });

  it.each([
    ['^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$', 60],
    ['^[A-Za-z0-9._%+-]+@[A-Za-z0-9.-]{1,63}\\.[A-Za-z]{2,}$', 220],
    ['^(?:0|1|2|3|4|5|6|7|8|9){100}$', 110],
    ['^(?:eur|usd|gbp|chf)$', 20],
    ['\\x{1F642}{3}[]{9}]\\Q{9}\\E', 12],
  ])('is not much larger: %s', (source, most) => {
    expect(estimatePatternSize(source)).toBeLessThanOrEqual(most);
  });

  it('is quick even for a pattern that cannot be compiled', () => {
    expect(estimatePatternSize('a{1000}'.repeat(280))).toBeGreaterThanOrEqual(280_000);
    expect(estimatePatternSize('((a{1000}){1000}){1000}')).toBe(1e9);
    for (const odd of [
      '(',
      ')',
      '[',
      '\\',
      '{1}',
      '(?',
      '(?P<',
      '\\p{',
      '\\Q',
      '[[:',
      'a{1000}{1000}',
      '|*',
    ]) {
      expect(estimatePatternSize(odd)).toBeGreaterThan(0);
    }
  });
});

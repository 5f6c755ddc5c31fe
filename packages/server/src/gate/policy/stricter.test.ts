import { expect, test } from 'vitest';
import { mergeRequirements, requirementCovers } from './stricter.ts';

const finance = (count: number) => ({ from: ['finance'], count });
const either = { from: ['security', 'finance'], count: 1 };

test('for each list of approvers the larger count stands', () => {
  expect(mergeRequirements([finance(1), either], [finance(2)])).toEqual([
    finance(2),
    { from: ['finance', 'security'], count: 1 },
  ]);
  expect(mergeRequirements([finance(2)], [finance(1)])).toEqual([finance(2)]);
  expect(mergeRequirements([], [finance(1)])).toEqual([finance(1)]);
});

test('two entries from one list are two places in it, and names may stand in any order', () => {
  expect(mergeRequirements([finance(1), finance(1)], [finance(1)])).toEqual([finance(2)]);
  expect(mergeRequirements([either], [{ from: ['finance', 'security'], count: 2 }])).toEqual([
    { from: ['finance', 'security'], count: 2 },
  ]);
});

test('a name written as two does not pass for two names', () => {
  expect(mergeRequirements([{ from: ['a,b'], count: 1 }], [{ from: ['a', 'b'], count: 1 }])).toHaveLength(2);
});

test('what was asked for covers the same and less, not more and not others', () => {
  expect(requirementCovers([finance(2)], [finance(1)])).toBe(true);
  expect(requirementCovers([finance(1), finance(1)], [finance(2)])).toBe(true);
  expect(requirementCovers([finance(2), either], [])).toBe(true);
  expect(requirementCovers([finance(1)], [finance(2)])).toBe(false);
  expect(requirementCovers([finance(1)], [either])).toBe(false);
  expect(requirementCovers([], [finance(1)])).toBe(false);
});

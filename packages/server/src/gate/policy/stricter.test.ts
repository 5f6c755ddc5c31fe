import { expect, test } from 'vitest';
import { requirementCovers } from './stricter.ts';

const finance = (count: number) => ({ from: ['finance'], count });
const either = { from: ['security', 'finance'], count: 1 };

test('a requirement covers an equal or lesser one, but not a greater or a different one', () => {
  expect(requirementCovers([finance(2)], [finance(1)])).toBe(true);
  expect(requirementCovers([finance(1), finance(1)], [finance(2)])).toBe(true);
  expect(requirementCovers([finance(2), either], [])).toBe(true);
  expect(requirementCovers([finance(1)], [finance(2)])).toBe(false);
  expect(requirementCovers([finance(1)], [either])).toBe(false);
  expect(requirementCovers([], [finance(1)])).toBe(false);
});

test('names may be in any order, and a name that contains a comma counts as one name', () => {
  expect(requirementCovers([either], [{ from: ['finance', 'security'], count: 1 }])).toBe(true);
  expect(requirementCovers([{ from: ['a,b'], count: 1 }], [{ from: ['a', 'b'], count: 1 }])).toBe(false);
});

test('an entry that also admits programs requires less than one for people alone', () => {
  const open = { ...finance(1), programs: true as const };
  expect(requirementCovers([finance(1)], [open])).toBe(true);
  expect(requirementCovers([open], [finance(1)])).toBe(false);
  expect(requirementCovers([open, finance(1)], [open, finance(1)])).toBe(true);
  expect(requirementCovers([open, finance(1)], [finance(2)])).toBe(false);
  expect(requirementCovers([finance(2)], [open, finance(1)])).toBe(true);
});

test('an entry that lets the request name more people requires less than one that does not', () => {
  const wider = { ...finance(1), orNamed: ['ops'] };
  expect(requirementCovers([finance(1)], [wider])).toBe(true);
  expect(requirementCovers([wider], [finance(1)])).toBe(false);
  expect(requirementCovers([wider], [{ ...finance(1), orNamed: ['ops', 'security'] }])).toBe(true);
});

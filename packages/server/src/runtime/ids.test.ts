import { expect, test } from 'vitest';
import { createIds } from './ids.ts';

const SHAPE = /^int_[0-9a-hjkmnp-tv-z]{26}$/;

/** Ids made while the clock shows these milliseconds, one after another. */
function idsAt(milliseconds: readonly number[]): string[] {
  let step = 0;
  const ids = createIds(() => milliseconds[step++] ?? Number.NaN);
  return milliseconds.map(() => ids.next('int'));
}

test('an id is its prefix and 26 characters of lower-case base32, the first ten of them the time', () => {
  const [id = ''] = idsAt([1_469_918_176_385]);
  expect(id).toMatch(SHAPE);
  // The example of the ULID specification: 01ARYZ6S41… is that millisecond.
  expect(id.slice(4, 14)).toBe('01aryz6s41');
});

test('ids of one millisecond do not repeat and sort as they were made', () => {
  const made = idsAt(Array.from({ length: 20_000 }, () => 1_700_000_000_000));
  expect(new Set(made).size).toBe(made.length);
  expect([...made].sort()).toEqual(made);
});

test('a clock that goes back, stands still and leaps makes no id that sorts before an earlier one', () => {
  const start = 1_700_000_000_000;
  const made = idsAt([0, 5, 5, -3_600_000, -3_599_999, 4, 5, 6, 6, 86_400_000, 7].map((ms) => start + ms));
  expect([...made].sort()).toEqual(made);
  expect(new Set(made).size).toBe(made.length);
});

test('two gates that make ids in the same millisecond do not meet', () => {
  const one = idsAt(Array.from({ length: 5_000 }, () => 1_700_000_000_000));
  const other = idsAt(Array.from({ length: 5_000 }, () => 1_700_000_000_000));
  expect(new Set([...one, ...other]).size).toBe(10_000);
});

test('the neighbour of an id cannot be counted out: the lower half is random', () => {
  const lower = idsAt(Array.from({ length: 1_000 }, () => 1_700_000_000_000)).map((id) => id.slice(-8));
  expect(new Set(lower).size).toBe(1_000);
  expect([...lower].sort()).not.toEqual(lower);
});

test('every character of the random part takes every value', () => {
  const made = idsAt(Array.from({ length: 4_000 }, (_, n) => 1_700_000_000_000 + n));
  for (let position = 15; position < 30; position += 1) {
    expect(new Set(made.map((id) => id[position])).size, `character ${position}`).toBe(32);
  }
});

test('the first of a moment sorts before all given out from then on, and after all before', () => {
  const [before, same, after] = idsAt([1_699_999_999_999, 1_700_000_000_000, 1_700_000_000_001]);
  const first = createIds().first('int', new Date(1_700_000_000_000).toISOString());
  expect([after, first, same, before].sort()).toEqual([before, first, same, after]);
  expect(first).toHaveLength(30);
});

test('a salt is 16 bytes, never the same twice', () => {
  const ids = createIds();
  const salts = Array.from({ length: 5_000 }, () => ids.salt());
  expect(new Set(salts).size).toBe(5_000);
  for (const salt of salts) expect(salt).toMatch(/^[A-Za-z0-9_-]{22}$/);
});

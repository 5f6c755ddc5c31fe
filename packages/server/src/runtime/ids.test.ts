import { expect, test } from 'vitest';
import { createIds } from './ids.ts';

const SHAPE = /^int_[0-9a-hjkmnp-tv-z]{26}$/;

/** Ids generated one after another while the clock shows these milliseconds. */
function idsAt(milliseconds: readonly number[]): string[] {
  let step = 0;
  const ids = createIds(() => milliseconds[step++] ?? Number.NaN);
  return milliseconds.map(() => ids.next('int'));
}

test('an id is its prefix and 26 characters of lower-case base32, of which the first ten are the time', () => {
  const [id = ''] = idsAt([1_469_918_176_385]);
  expect(id).toMatch(SHAPE);
  // The example of the ULID specification: 01ARYZ6S41… is this millisecond.
  expect(id.slice(4, 14)).toBe('01aryz6s41');
});

test('ids of one millisecond do not repeat and sort in the order of creation', () => {
  const made = idsAt(Array.from({ length: 20_000 }, () => 1_700_000_000_000));
  expect(new Set(made).size).toBe(made.length);
  expect([...made].sort()).toEqual(made);
});

test('no ID sorts before an earlier one, even when the clock goes back, stops or leaps', () => {
  const start = 1_700_000_000_000;
  const made = idsAt([0, 5, 5, -3_600_000, -3_599_999, 4, 5, 6, 6, 86_400_000, 7].map((ms) => start + ms));
  expect([...made].sort()).toEqual(made);
  expect(new Set(made).size).toBe(made.length);
});

test('two gates that create ids in the same millisecond do not collide', () => {
  const one = idsAt(Array.from({ length: 5_000 }, () => 1_700_000_000_000));
  const other = idsAt(Array.from({ length: 5_000 }, () => 1_700_000_000_000));
  expect(new Set([...one, ...other]).size).toBe(10_000);
});

test('nobody can compute an id’s neighbour, because the lower half is random', () => {
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

test('the first id of a moment sorts before all later ids, and after all earlier ones', () => {
  const [before, same, after] = idsAt([1_699_999_999_999, 1_700_000_000_000, 1_700_000_000_001]);
  const first = createIds().first('int', new Date(1_700_000_000_000).toISOString());
  expect([after, first, same, before].sort()).toEqual([before, first, same, after]);
  expect(first).toHaveLength(30);
});

test('a salt has 16 bytes and never repeats', () => {
  const ids = createIds();
  const salts = Array.from({ length: 5_000 }, () => ids.salt());
  expect(new Set(salts).size).toBe(5_000);
  for (const salt of salts) expect(salt).toMatch(/^[A-Za-z0-9_-]{22}$/);
});

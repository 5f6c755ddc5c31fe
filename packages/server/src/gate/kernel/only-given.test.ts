import { expect, expectTypeOf, it } from 'vitest';
import { onlyGiven } from './only-given.ts';

it('members that are undefined are left out, and all others stay', () => {
  const given = onlyGiven({ a: undefined as string | undefined, b: null, c: 0, d: '', e: false });
  expect(Object.keys(given)).toEqual(['b', 'c', 'd', 'e']);
  expect(given).toEqual({ b: null, c: 0, d: '', e: false });
  expectTypeOf(given.a).toEqualTypeOf<string | undefined>();
});

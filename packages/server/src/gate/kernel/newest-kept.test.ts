import { expect, test } from 'vitest';
import { NewestKept } from './newest-kept.ts';

test('what was kept longest makes room, and nothing else goes', () => {
  const kept = new NewestKept<string, number>(2);
  kept.keep('a', 1);
  kept.keep('b', 2);
  kept.keep('a', 3);
  kept.keep('c', 4);
  expect([kept.get('a'), kept.get('b'), kept.get('c')]).toEqual([3, undefined, 4]);
  kept.drop('a');
  kept.keep('d', 5);
  expect([kept.get('a'), kept.get('c'), kept.get('d')]).toEqual([undefined, 4, 5]);
});

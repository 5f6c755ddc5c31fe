import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NewestKept } from './newest-kept.ts';

const key = fc.integer({ min: 0, max: 8 });
const steps = fc.array(fc.record({ key, drops: fc.boolean() }), { maxLength: 200 });

test('only the oldest value is removed to make room', () => {
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

test('after any sequence of sets and deletes, the newest values remain', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 5 }), steps, (most, taken) => {
      const kept = new NewestKept<number, number>(most);
      let newest: { key: number; value: number }[] = [];
      for (const [value, { key, drops }] of taken.entries()) {
        newest = newest.filter((one) => one.key !== key);
        if (drops) kept.drop(key);
        else {
          kept.keep(key, value);
          newest = [...newest, { key, value }].slice(-most);
        }
        for (let asked = 0; asked <= 8; asked += 1)
          expect(kept.get(asked)).toBe(newest.find((one) => one.key === asked)?.value);
      }
    }),
  );
});

test('deleted values take no memory, even below the limit', () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const kept = new NewestKept<string, string[]>(100);
  const before = process.memoryUsage().heapUsed;
  for (let time = 0; time < 10_000; time += 1)
    kept.keep(`key ${time % 3}`, new Array<string>(2500).fill('x'));
  collect();
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(50e6);
  expect(kept.get('key 0')).toHaveLength(2500);
});

import { expect, test } from 'vitest';
import type { Storage } from '../kernel/storage.ts';
import { ReceiptIndexes } from './receipt-indexes.ts';
import type { ReceiptStatusWriter } from './receipt-status.ts';

/** Reserves blocks as a storage does, one commit each. Fails while `broken` is set. */
function countingStorage(): {
  storage: Storage<unknown, ReceiptStatusWriter>;
  commits: number;
  broken: boolean;
} {
  let first = 0;
  const counting = {
    commits: 0,
    broken: false,
    storage: {
      transaction: async (work: (tx: unknown) => Promise<unknown>) => {
        await new Promise((resolve) => setImmediate(resolve));
        if (counting.broken) throw new Error('disk full');
        counting.commits += 1;
        return work({
          reserveReceiptIndexes: async (count: number) => {
            first += count;
            return first - count;
          },
        });
      },
    } as unknown as Storage<unknown, ReceiptStatusWriter>,
  };
  return counting;
}

test('every index is given out once, however many callers ask at the same time', async () => {
  const counting = countingStorage();
  const indexes = new ReceiptIndexes(counting.storage);
  const taken: number[] = [];
  for (let round = 0; round < 50; round += 1) {
    taken.push(...(await Promise.all(Array.from({ length: 100 }, () => indexes.next()))));
  }
  expect(taken.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 5000 }, (_, n) => n));
  expect(counting.commits).toBeLessThanOrEqual(6);
});

test('only the first caller waits for a block', async () => {
  const indexes = new ReceiptIndexes(countingStorage().storage);
  await indexes.next();
  for (let n = 1; n < 3000; n += 1) {
    let waited = false;
    setImmediate(() => {
      waited = true;
    });
    await indexes.next();
    expect(waited, `place ${n}`).toBe(false);
    if (n % 100 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
});

test('a block that could not be reserved is requested again', async () => {
  const counting = countingStorage();
  const indexes = new ReceiptIndexes(counting.storage);
  counting.broken = true;
  await expect(indexes.next()).rejects.toThrow('disk full');
  counting.broken = false;
  for (let n = 0; n < 600; n += 1) expect(await indexes.next()).toBe(n);
  await expect.poll(() => counting.commits).toBe(2);
  counting.broken = true;
  for (let n = 600; n < 1024; n += 1) expect(await indexes.next()).toBe(n);
  // The next block was requested before the storage failed.
  expect(await indexes.next()).toBe(1024);
});

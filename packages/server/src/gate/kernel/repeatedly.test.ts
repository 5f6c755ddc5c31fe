import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { complainingOnce, repeatedly } from './repeatedly.ts';

beforeEach(() => vi.useFakeTimers());
afterEach(() => vi.useRealTimers());

/** Work that ends when the test says so. */
function slowWork() {
  const ends: (() => void)[] = [];
  return { ends, work: () => new Promise<void>((resolve) => ends.push(resolve)) };
}

describe('repeated work', () => {
  test('starts after the interval, and the next run starts after the previous one ended', async () => {
    const { ends, work } = slowWork();
    const stop = repeatedly(100, work, () => {});
    await vi.advanceTimersByTimeAsync(99);
    expect(ends).toHaveLength(0);
    await vi.advanceTimersByTimeAsync(1000);
    expect(ends).toHaveLength(1);
    ends[0]?.();
    await vi.advanceTimersByTimeAsync(99);
    expect(ends).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(1);
    expect(ends).toHaveLength(2);
    ends[1]?.();
    await stop();
  });

  test('starts first at the given time', async () => {
    let runs = 0;
    const stop = repeatedly(
      100,
      async () => {
        runs += 1;
      },
      () => {},
      { firstAfterMs: 0 },
    );
    await vi.advanceTimersByTimeAsync(1);
    expect(runs).toBe(1);
    await stop();
  });

  test('reports a failure, and continues', async () => {
    const told: unknown[] = [];
    const stop = repeatedly(
      10,
      () => Promise.reject(new Error('no')),
      (error) => told.push(error),
    );
    await vi.advanceTimersByTimeAsync(25);
    expect(told).toHaveLength(2);
    await stop();
  });

  test('has ended when its stop resolves, and does not start again', async () => {
    const { ends, work } = slowWork();
    const stop = repeatedly(10, work, () => {});
    await vi.advanceTimersByTimeAsync(10);
    let stopped = false;
    const stopping = stop().then(() => {
      stopped = true;
    });
    await vi.advanceTimersByTimeAsync(50);
    expect(stopped).toBe(false);
    ends[0]?.();
    await stopping;
    await vi.advanceTimersByTimeAsync(50);
    expect(ends).toHaveLength(1);
  });
});

test('only the first of consecutive failures is reported, and the first of the next series', async () => {
  const errors: unknown[] = [];
  let broken = true;
  const work = complainingOnce(
    async () => {
      if (broken) throw new Error('broken');
    },
    (error) => errors.push(error),
  );
  for (let run = 0; run < 3; run += 1) await work();
  expect(errors).toHaveLength(1);
  broken = false;
  await work();
  expect(errors).toHaveLength(1);
  broken = true;
  for (let run = 0; run < 3; run += 1) await work();
  expect(errors).toHaveLength(2);
});

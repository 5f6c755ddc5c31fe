import { expect, test, vi } from 'vitest';
import { relayProgress } from '../../../src/gateway/upstream/relay-progress.ts';

test('relayed progress only grows, is short, and does not come too often', () => {
  let now = 0;
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => now);
  const told: unknown[] = [];
  const relay = relayProgress({
    progress: (progress) => told.push(progress),
    log: () => {},
    ask: async () => undefined,
  });
  try {
    for (let step = 1; step <= 1000; step += 1) relay({ progress: step });
    expect(told).toEqual([{ progress: 1 }]);
    now = 1000;
    relay({ progress: 1 });
    relay({ progress: Number.NaN });
    relay({ progress: 2, total: 5, message: 'x'.repeat(10_000) });
    expect(told.slice(1)).toEqual([{ progress: 2, total: 5, message: 'x'.repeat(500) }]);
  } finally {
    clock.mockRestore();
  }
});

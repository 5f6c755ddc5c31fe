import type { Clock } from '../gate/kernel/clock.ts';
import type { Instant } from '../gate/kernel/instant.ts';

/** Where time comes from, in milliseconds. */
export interface TimeSources {
  /** Since the epoch; may be set back and forth. */
  wall(): number;
  /** From any beginning; only ever goes on. */
  monotonic(): number;
}

/**
 * The machine's own time, but never back, and never slower than it passes: while the machine's clock is set back, this
 * one goes on from where it was. Otherwise a permit would live longer than it says, and what had expired would be good
 * again.
 *
 * It follows every step forward, for that only ends things earlier. A new process takes the machine's time as it is.
 */
export function createSteadyClock({ wall, monotonic }: TimeSources): Clock {
  let lastWall = Number.NaN;
  let lastMonotonic = 0;
  let steady = Number.NEGATIVE_INFINITY;
  let instant: Instant = '';
  return {
    now() {
      const ms = wall();
      // Once per millisecond: a busy gate asks far more often than that.
      if (ms !== lastWall) {
        const passed = monotonic();
        steady = Math.max(ms, steady + passed - lastMonotonic);
        instant = new Date(Math.floor(steady)).toISOString();
        lastWall = ms;
        lastMonotonic = passed;
      }
      return instant;
    },
  };
}

export const systemClock: Clock = createSteadyClock({
  wall: () => Date.now(),
  monotonic: () => performance.now(),
});

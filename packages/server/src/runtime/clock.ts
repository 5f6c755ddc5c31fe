import type { Clock } from '../gate/kernel/clock.ts';
import type { Instant } from '../gate/kernel/instant.ts';

/** The sources of time, in milliseconds. */
export interface TimeSources {
  /** Since the epoch. May be set forward or back. */
  wall(): number;
  /** From any starting point. Only ever increases. */
  monotonic(): number;
}

/**
 * The machine's own time, but it never goes back and never runs slower than real time. If the machine's clock is set
 * back, this clock continues from its latest time. Otherwise a permit would live longer than it says, and expired
 * things would be valid again.
 *
 * This clock follows every step forward, which only ends things earlier. A new process starts with the machine's time
 * as it is.
 */
export function createSteadyClock({ wall, monotonic }: TimeSources): Clock {
  let lastWall = Number.NaN;
  let lastMonotonic = 0;
  let steady = Number.NEGATIVE_INFINITY;
  let instant: Instant = '';
  return {
    now() {
      const ms = wall();
      // The time is computed once per millisecond, because a busy gate reads the clock far more often.
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

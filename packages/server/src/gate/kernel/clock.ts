import type { Instant } from './instant.ts';

export interface Clock {
  now(): Instant;
}

/**
 * The clock's time in milliseconds since the epoch. Parses each instant once, because a busy gate asks many times
 * during one instant.
 */
export function millisecondsOf(clock: Clock): () => number {
  let instant: Instant = '';
  let milliseconds = Number.NaN;
  return () => {
    const now = clock.now();
    if (now !== instant) milliseconds = Date.parse(now);
    instant = now;
    return milliseconds;
  };
}

import type { Instant } from './gate/instant.ts';
import type { Clock } from './gate/ports.ts';

let cachedMs = Number.NaN;
let cachedInstant: Instant = '';

/** The machine's own time. The text is kept per millisecond: a busy gate asks far more often than that. */
export const systemClock: Clock = {
  now() {
    const ms = Date.now();
    if (ms !== cachedMs) {
      cachedInstant = new Date(ms).toISOString();
      cachedMs = ms;
    }
    return cachedInstant;
  },
};

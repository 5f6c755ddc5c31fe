/** One clock for the whole app, in server time. It ticks once a second while any component uses it. */
import { useSyncExternalStore } from 'react';
import { serverOffsetMs } from '../api/server-time.ts';

const TICK_MS = 1000;
const listeners = new Set<() => void>();
let timer: ReturnType<typeof setInterval> | undefined;
let now = Date.now() + serverOffsetMs();

function tick(): void {
  now = Date.now() + serverOffsetMs();
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  if (timer === undefined) {
    timer = setInterval(tick, TICK_MS);
    document.addEventListener('visibilitychange', tick);
    // The first user after a pause must not see the old time.
    queueMicrotask(tick);
  }
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    clearInterval(timer);
    timer = undefined;
    document.removeEventListener('visibilitychange', tick);
  };
}

/**
 * Milliseconds since the epoch, rounded down to a multiple of `stepMs`. The component renders again only when that
 * changes.
 */
export function useNow(stepMs = TICK_MS): number {
  return useSyncExternalStore(subscribe, () => Math.floor(now / stepMs) * stepMs);
}

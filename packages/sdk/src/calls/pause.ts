/** The longest delay of a JavaScript timer. A timer with a longer delay fires immediately. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Resolves after `ms` milliseconds. Rejects with the signal's reason if it is aborted earlier. */
export function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const giveUp = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(
      () => {
        signal?.removeEventListener('abort', giveUp);
        resolve();
      },
      Math.min(Math.max(0, ms), LONGEST_TIMER_MS),
    );
    signal?.addEventListener('abort', giveUp, { once: true });
  });
}

/** Resolves when the work is done, or after `ms` milliseconds. The work then continues on its own. */
export async function atMost(ms: number, work: Promise<void>): Promise<void> {
  const enough = new AbortController();
  await Promise.race([work, pause(ms, enough.signal).catch(() => {})]);
  enough.abort();
}

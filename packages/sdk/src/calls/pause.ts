/** The most that a timer of JavaScript takes; above it fires at once. */
export const LONGEST_TIMER_MS = 2 ** 31 - 1;

/** Resolves after so many milliseconds; rejects with the signal's reason when it is aborted before. */
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

/** Resolves once the work is through, or after so many milliseconds; it then goes on by itself. */
export async function atMost(ms: number, work: Promise<void>): Promise<void> {
  const enough = new AbortController();
  await Promise.race([work, pause(ms, enough.signal).catch(() => {})]);
  enough.abort();
}

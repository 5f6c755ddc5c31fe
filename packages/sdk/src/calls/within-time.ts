import { LONGEST_TIMER_MS } from './pause.ts';

/** The work took longer than it may. */
export class OutOfTimeError extends Error {
  override readonly name = 'OutOfTimeError';
}

/**
 * Does some work that ends when the time is up or the caller's signal is aborted, whether or not the work itself looks at
 * the signal it is given.
 *
 * @throws OutOfTimeError; the signal's reason; whatever the work throws
 */
export async function withinTime<T>(
  ms: number,
  outer: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  outer?.throwIfAborted();
  const controller = new AbortController();
  const end = (reason: unknown): void => controller.abort(reason);
  const ended = new Promise<never>((_, reject) => {
    controller.signal.addEventListener('abort', () => reject(controller.signal.reason), { once: true });
  });
  // Nobody may be listening any more when it comes to that.
  ended.catch(() => {});
  const giveUp = (): void => end(outer?.reason);
  const timer = setTimeout(() => end(new OutOfTimeError()), Math.min(ms, LONGEST_TIMER_MS));
  outer?.addEventListener('abort', giveUp, { once: true });
  try {
    return await Promise.race([work(controller.signal), ended]);
  } catch (error) {
    // Whichever of the two lost the race, why it ended is what is told.
    if (controller.signal.aborted) throw controller.signal.reason;
    throw error;
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener('abort', giveUp);
  }
}

import { LONGEST_TIMER_MS } from './pause.ts';

/** The work exceeded its time limit. */
export class OutOfTimeError extends Error {
  override readonly name = 'OutOfTimeError';
}

/**
 * Runs work with a time limit and the caller's signal. It ends on either, even if the work ignores the signal it
 * receives.
 *
 * @throws OutOfTimeError; the signal's reason; any error of the work
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
  // Otherwise a rejection that nobody awaits would count as unhandled.
  ended.catch(() => {});
  const giveUp = (): void => end(outer?.reason);
  const timer = setTimeout(() => end(new OutOfTimeError()), Math.min(ms, LONGEST_TIMER_MS));
  outer?.addEventListener('abort', giveUp, { once: true });
  try {
    return await Promise.race([work(controller.signal), ended]);
  } catch (error) {
    // After an abort, the caller gets the reason of the abort, whichever promise settled first.
    if (controller.signal.aborted) throw controller.signal.reason;
    throw error;
  } finally {
    clearTimeout(timer);
    outer?.removeEventListener('abort', giveUp);
  }
}

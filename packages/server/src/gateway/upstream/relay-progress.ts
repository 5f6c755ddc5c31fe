import type { CallerLine } from '../../gate/tools/connectors.ts';

/** A server may tell as often as it likes; a client is told so often at most. */
const LEAST_PAUSE_MS = 200;
const LONGEST_MESSAGE = 500;

/**
 * Hands on to whoever asked for a call how far the tool says it is: numbers that grow, and a short text. That it has ended its
 * result says.
 */
export function relayProgress(
  line: CallerLine,
): (update: { progress: number; total?: number | undefined; message?: string | undefined }) => void {
  let last = 0;
  let sentAt = Number.NEGATIVE_INFINITY;
  return ({ progress, total, message }) => {
    const now = performance.now();
    if (!(progress > last) || now - sentAt < LEAST_PAUSE_MS) return;
    last = progress;
    sentAt = now;
    line.progress({
      progress,
      ...(total === undefined ? {} : { total }),
      ...(message === undefined ? {} : { message: message.slice(0, LONGEST_MESSAGE) }),
    });
  };
}

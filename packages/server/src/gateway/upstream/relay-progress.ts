import type { CallerLine } from '../../gate/tools/connectors.ts';

/** A server may report progress at any rate, but a requester receives at most one update in this time. */
const LEAST_PAUSE_MS = 200;
const LONGEST_MESSAGE = 500;

/**
 * Forwards a tool's progress to the requester: increasing numbers and a short text. Does not report the end, because
 * the result shows it.
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

import { ConnectionError } from '../errors/connection-error.ts';
import { PermitryError } from '../errors/permitry-error.ts';

const OF_THE_MOMENT: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

/**
 * Whether the same call may well succeed in a moment: the connection broke, the gate drains, is over its limit or cannot
 * reach its storage. Only calls that are harmless to repeat, or have a key, are repeated for it.
 */
export function isPassing(error: unknown): boolean {
  if (error instanceof ConnectionError) return error.problem !== 'redirected';
  return error instanceof PermitryError && OF_THE_MOMENT.has(error.status);
}

/** Doubles from the first pause to the longest, with a part left to chance so that many do not come back at once. */
export function backoffMs(failures: number, firstMs = 100, longestMs = 5000): number {
  const most = Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 20));
  return most * (0.5 + Math.random() / 2);
}

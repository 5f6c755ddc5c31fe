import { ConnectionError } from '../errors/connection-error.ts';
import { PermitryError } from '../errors/permitry-error.ts';

const OF_THE_MOMENT: ReadonlySet<number> = new Set([408, 429, 502, 503, 504]);

/**
 * Whether a retry may succeed soon: the connection broke, or the gate drains, is over its limit or cannot reach its
 * storage. Only calls that are safe to repeat, or that have an idempotency key, are retried.
 */
export function isPassing(error: unknown): boolean {
  if (error instanceof ConnectionError) return error.problem !== 'redirected';
  return error instanceof PermitryError && OF_THE_MOMENT.has(error.status);
}

/**
 * Exponential back-off from the first pause to the longest, with jitter so that many clients do not retry at the same
 * moment.
 */
export function backoffMs(failures: number, firstMs = 100, longestMs = 5000): number {
  const most = Math.min(longestMs, firstMs * 2 ** Math.min(failures - 1, 20));
  return most * (0.5 + Math.random() / 2);
}

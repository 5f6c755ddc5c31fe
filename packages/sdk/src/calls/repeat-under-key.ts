import { PermitryError } from '../errors/permitry-error.ts';
import { newIdempotencyKey } from './idempotency-key.ts';
import { backoffMs, isPassing } from './is-passing.ts';
import { pause } from './pause.ts';

const MOST_TRIES = 5;
const LONGEST_PAUSE_MS = 30_000;

/**
 * Retries a call whose answer was lost, or that the gate cannot take at the moment, up to five times. All tries have
 * one idempotency key, so the gate carries out the call once and repeats its first answer.
 *
 * @param call Must pass the key on. A call without it may be carried out twice.
 * @param options `idempotencyKey`: default a new one. `signal`: ends the pauses between tries.
 * @throws the error of the last try
 * @example
 * const used = await repeatUnderKey((idempotencyKey) =>
 *   permitry.permits.consume({ token, action, params }, { idempotencyKey }),
 * );
 */
export async function repeatUnderKey<T>(
  call: (idempotencyKey: string) => Promise<T>,
  {
    idempotencyKey = newIdempotencyKey(),
    signal,
  }: { idempotencyKey?: string | undefined; signal?: AbortSignal | undefined } = {},
): Promise<T> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await call(idempotencyKey);
    } catch (error) {
      if (tries === MOST_TRIES || signal?.aborted || !(isPassing(error) || isStillRunning(error)))
        throw error;
      const asked = error instanceof PermitryError ? (error.retryAfterMs ?? 0) : 0;
      await pause(Math.max(Math.min(asked, LONGEST_PAUSE_MS), backoffMs(tries)), signal);
    }
  }
}

/** The first try under this key is still running; its answer will be available shortly. */
function isStillRunning(error: unknown): boolean {
  return error instanceof PermitryError && error.code === 'idempotency_conflict' && error.status === 409;
}

/** What a storage answers of its own, in the same words whichever database is behind it. */
import { GateError } from '../gate/kernel/errors.ts';

export function serviceUnavailable(cause: unknown): GateError<'service_unavailable'> {
  return new GateError(
    'service_unavailable',
    'The gate cannot reach or write its storage just now; nothing was changed. Try again shortly.',
    { retry_after_seconds: 1 },
    { cause },
  );
}

export function isServiceUnavailable(error: unknown): boolean {
  return error instanceof GateError && error.code === 'service_unavailable';
}

/** A unique key of it is taken. */
export function existsAlready(cause: unknown): GateError<'conflict'> {
  return new GateError('conflict', 'This exists already.', {}, { cause });
}

/** A storage's own refusals, in the same words for every database. */
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

/** One of its unique keys is taken. */
export function existsAlready(cause: unknown): GateError<'conflict'> {
  return new GateError('conflict', 'This already exists.', {}, { cause });
}

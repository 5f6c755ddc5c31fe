/** What a request under an Idempotency-Key is told when it cannot be answered as if it were the first. */
import { GateError } from '../../gate/kernel/errors.ts';

export function lost(cause: unknown): GateError {
  return new GateError(
    'service_unavailable',
    'The gate could not keep the change just now; nothing was changed. Try again shortly.',
    { retry_after_seconds: 1 },
    { cause },
  );
}

export function unkept(cause: unknown): GateError {
  return new GateError(
    'service_unavailable',
    'The gate made a change of this request, and could not go on or keep its answer. Read what it made; under this ' +
      'Idempotency-Key it is not made again.',
    { retry_after_seconds: 1 },
    { cause },
  );
}

export function inProgress(): GateError {
  return new GateError(
    'idempotency_in_progress',
    'The first request under this Idempotency-Key still runs; repeat it when that one is answered.',
    {},
  );
}

export function unanswered(): GateError {
  return new GateError(
    'idempotency_in_progress',
    'The first request under this Idempotency-Key made its change and still runs, or stopped before it was answered; ' +
      'read what it made.',
    {},
  );
}

export function erased(): GateError {
  return new GateError(
    'conflict',
    'This request was answered, and texts in the answer have been erased since; read what it made instead.',
    {},
  );
}

export function mismatch(): GateError {
  return new GateError(
    'idempotency_mismatch',
    'This Idempotency-Key was used with another body; use a new key for a new request.',
    {},
  );
}

/** Refusals of a request whose Idempotency-Key prevents it from being answered like the first. */
import { GateError } from '../../gate/kernel/errors.ts';

export function inProgress(): GateError {
  return new GateError(
    'idempotency_in_progress',
    'The first request under this Idempotency-Key is still running; repeat it when that one is answered.',
    {},
  );
}

export function erased(): GateError {
  return new GateError(
    'conflict',
    'This request was answered, and texts in the answer have been erased since; read what it created instead.',
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

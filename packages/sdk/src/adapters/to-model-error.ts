import { ConnectionError, DeniedError, PermitryError, WaitTimeoutError } from '../index.ts';
import { NotRunError } from './not-run-error.ts';

/** Turns the reason why a call did not run into an error whose message a model may read. */
export function toModelError(error: unknown, action: string): DeniedError | NotRunError {
  if (error instanceof DeniedError || error instanceof NotRunError) return error;
  return new NotRunError(action, whyOf(error), { cause: error });
}

function whyOf(error: unknown): string {
  if (error instanceof WaitTimeoutError) return 'nobody has decided on it yet.';
  if (error instanceof ConnectionError) return 'the approval gate could not be reached.';
  if (error instanceof PermitryError) return whyRefused(error);
  return 'the gate could not say whether it may run.';
}

function whyRefused({ code, reason, message }: PermitryError): string {
  if (code === 'idempotency_conflict') return 'its parameters differ from those that were requested.';
  if (code !== 'permit_invalid') return message;
  return reason === 'already_used'
    ? 'its approval was already used; an approval is valid for one run.'
    : `its permit was refused: ${reason ?? message}.`;
}

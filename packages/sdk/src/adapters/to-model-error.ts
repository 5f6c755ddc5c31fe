import { ConnectionError, DeniedError, PermitryError, WaitTimeoutError } from '../index.ts';
import { NotRunError } from './not-run-error.ts';

/** Turns the reason why a call did not run into an error whose message a model may read. */
export function toModelError(error: unknown, action: string): DeniedError | NotRunError {
  if (error instanceof DeniedError || error instanceof NotRunError) return error;
  return new NotRunError(action, whyOf(error), { cause: error });
}

function whyOf(error: unknown): string {
  if (error instanceof WaitTimeoutError) return 'nobody has decided on it yet.';
  if (error instanceof ConnectionError) return 'the approval gate could not be asked.';
  if (error instanceof PermitryError) return whyRefused(error);
  return 'it could not be asked whether it may run.';
}

function whyRefused({ code, reason, message }: PermitryError): string {
  if (code === 'idempotency_conflict') return 'its parameters are not those that were asked for at first.';
  if (code !== 'permit_invalid') return message;
  return reason === 'already_used'
    ? 'its approval was used up already; an approval is good for one run.'
    : `its permit was refused: ${reason ?? message}.`;
}

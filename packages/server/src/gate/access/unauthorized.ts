import { GateError } from '../kernel/errors.ts';

/** One sentence for every reason, so that callers cannot distinguish them. */
export function unauthorized(): GateError<'unauthorized'> {
  return new GateError(
    'unauthorized',
    'The API key is missing or not valid. Send it as Authorization: Bearer <key>.',
    {},
  );
}

/** The same for a caller with a session. */
export function signInFirst(): GateError<'unauthorized'> {
  return new GateError('unauthorized', 'There is no session, or it has ended. Sign in again.', {});
}

import type { SessionCaller, UserCaller } from '../access/caller.ts';
import { GateError } from '../kernel/errors.ts';
import type { ProofSession } from './proof-session.ts';

/** Whether it belongs to this person and, if bound to what started it, to the same session or token. */
export function isOwnProof(session: ProofSession, person: SessionCaller | UserCaller): boolean {
  const { userId, credentialId } = session;
  return userId === person.user.id && (credentialId === null || credentialId === person.credentialId);
}

/** The same words for every problem, so that they reveal nobody's sessions. */
export function invalidProof(): GateError<'invalid_proof'> {
  return new GateError(
    'invalid_proof',
    'There is no such proof session for this decision; start a new one.',
    {},
  );
}

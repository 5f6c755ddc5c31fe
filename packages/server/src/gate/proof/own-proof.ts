import type { SessionCaller, UserCaller } from '../access/caller.ts';
import { GateError } from '../kernel/errors.ts';
import type { ProofSession } from './proof-session.ts';

/** Of this person, and where it is bound to what started it, of that very session or token. */
export function isOwnProof(session: ProofSession, person: SessionCaller | UserCaller): boolean {
  const { userId, credentialId } = session;
  return userId === person.user.id && (credentialId === null || credentialId === person.credentialId);
}

/** The same words for all that is wrong with one: they tell nobody which sessions there are. */
export function invalidProof(): GateError<'invalid_proof'> {
  return new GateError(
    'invalid_proof',
    'There is no such proof session for this decision; start a new one.',
    {},
  );
}

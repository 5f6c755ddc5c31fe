import type { SessionCaller, UserCaller } from '../access/caller.ts';
import { GateError } from '../kernel/errors.ts';
import type { ProofSession } from './proof-session.ts';

/**
 * Whether the proof session belongs to this person. If the proof session is bound to a session or token, the person
 * must use the same one.
 */
export function isOwnProof(session: ProofSession, person: SessionCaller | UserCaller): boolean {
  const { userId, credentialId } = session;
  return userId === person.user.id && (credentialId === null || credentialId === person.credentialId);
}

/** The words are the same for every problem, so that they reveal nothing about the sessions of others. */
export function invalidProof(): GateError<'invalid_proof'> {
  return new GateError(
    'invalid_proof',
    'There is no such proof session for this decision; start a new one.',
    {},
  );
}

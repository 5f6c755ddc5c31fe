import type { FastifyRequest } from 'fastify';
import { authenticateSession } from '../../gate/access/authenticate-session.ts';
import type { SessionCaller } from '../../gate/access/caller.ts';
import { GateError } from '../../gate/kernel/errors.ts';
import type { GateParts } from '../../open-gate.ts';
import { readSessionToken } from '../admission/session-cookie.ts';

/** The person who is signed in, at a public route. Null also for a session that ended. */
export async function findPerson(gate: GateParts, request: FastifyRequest): Promise<SessionCaller | null> {
  const token = readSessionToken(request);
  if (token === undefined) return null;
  try {
    return await authenticateSession(gate, token);
  } catch (error) {
    if (error instanceof GateError && error.code === 'unauthorized') return null;
    throw error;
  }
}

import type { FastifyReply, FastifyRequest } from 'fastify';
import { type AuthenticatedKey, authenticateKey } from '../../gate/access/authenticate-key.ts';
import { authenticateSession } from '../../gate/access/authenticate-session.ts';
import type { Caller } from '../../gate/access/caller.ts';
import { unauthorized } from '../../gate/access/unauthorized.ts';
import { GateError } from '../../gate/kernel/errors.ts';
import type { GateParts } from '../../open-gate.ts';
import type { Limits } from '../limits/limits.ts';
import { readSessionToken } from './session-cookie.ts';

/** RFC 6750 §2.1; the scheme's name is case-insensitive, the key has no spaces. */
const BEARER = /^bearer +([^\s,]{1,200})$/i;

/**
 * Counts a request whose caller `authenticate` could not identify.
 *
 * @throws GateError `rate_limited` (an address with too many wrong keys)
 */
export function countUnknown(
  limits: Limits,
  error: unknown,
  request: FastifyRequest,
  reply: FastifyReply,
): void | Promise<void> {
  // A request without any key is not a guess. The key of a revoked agent counts as one, because it no longer belongs to
  // any other bucket.
  const guessed =
    request.headers.authorization !== undefined &&
    error instanceof GateError &&
    (error.code === 'unauthorized' || error.code === 'agent_revoked');
  if (guessed) return limits.countFailedKey(reply, request.ip);
  limits.showAddress(reply, request.ip);
}

/**
 * Identifies the caller again after a slow body or a wait. Counts nothing.
 *
 * @throws GateError `unauthorized`, `agent_revoked`
 */
export async function authenticateAgain(gate: GateParts, request: FastifyRequest): Promise<Caller> {
  const { caller } = await authenticate(gate, request);
  request.caller = caller;
  return caller;
}

/**
 * Identifies the caller. A browser's session counts only if no key was presented: a wrong key never falls back to the
 * session.
 *
 * @throws GateError `unauthorized`, `agent_revoked`; thrown synchronously, or as the promise's rejection
 */
export function authenticate(gate: GateParts, request: FastifyRequest): Promise<AuthenticatedKey> {
  const token = request.headers.authorization === undefined ? readSessionToken(request) : undefined;
  return token === undefined ? authenticateKey(gate, presentedKey(request)) : bySession(gate, token);
}

async function bySession(gate: GateParts, token: string): Promise<AuthenticatedKey> {
  const caller = await authenticateSession(gate, token);
  return { caller, limits: { projectPerMinute: null, keyPerMinute: null } };
}

function presentedKey(request: FastifyRequest): string {
  const presented = BEARER.exec(request.headers.authorization ?? '')?.[1];
  if (presented === undefined) throw unauthorized();
  return presented;
}

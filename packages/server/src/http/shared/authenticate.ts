import type { FastifyReply, FastifyRequest } from 'fastify';
import { type AuthenticatedKey, authenticateKey, unauthorized } from '../../gate/access/authenticate-key.ts';
import type { Caller } from '../../gate/access/caller.ts';
import { GateError } from '../../gate/errors.ts';
import type { Gate } from '../../gate/gate.ts';
import type { Limits } from './limits.ts';

/** RFC 6750 §2.1; the scheme's name is case-insensitive, the key has no spaces. */
const BEARER = /^bearer +([^\s,]{1,200})$/i;

/**
 * Who calls, before the body is read.
 *
 * @throws GateError `unauthorized`, `agent_revoked`, `rate_limited` (an address with too many wrong keys)
 */
export async function authenticate(
  gate: Gate,
  limits: Limits,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<AuthenticatedKey> {
  const { authorization } = request.headers;
  try {
    return await authenticateKey(gate, presentedKey(request));
  } catch (error) {
    // A request without any key guesses nothing. A revoked agent's key belongs to no bucket any more but this one.
    const fruitless =
      authorization !== undefined &&
      error instanceof GateError &&
      (error.code === 'unauthorized' || error.code === 'agent_revoked');
    if (fruitless) limits.countFailedKey(reply, request.ip);
    else limits.showAddress(reply, request.ip);
    throw error;
  }
}

/**
 * Who calls, looked up anew after something took its time: a slow body, a wait. Counts nothing.
 *
 * @throws GateError `unauthorized`, `agent_revoked`
 */
export async function authenticateAgain(gate: Gate, request: FastifyRequest): Promise<Caller> {
  const { caller } = await authenticateKey(gate, presentedKey(request));
  request.caller = caller;
  return caller;
}

function presentedKey(request: FastifyRequest): string {
  const presented = BEARER.exec(request.headers.authorization ?? '')?.[1];
  if (presented === undefined) throw unauthorized();
  return presented;
}

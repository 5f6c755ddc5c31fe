import type { FastifyRequest } from 'fastify';
import { GateError } from '../../gate/kernel/errors.ts';
import type { GateParts } from '../../open-gate.ts';
import { getCaller } from '../admission/request-context.ts';
import { type McpSession, openSession } from './session.ts';

/**
 * @throws GateError `not_found` for a session that was not issued to this credential; the client then initialises again
 */
export function findSession(gate: GateParts, request: FastifyRequest): McpSession | null {
  const id = request.headers['mcp-session-id'];
  if (id === undefined) return null;
  const session = openSession(gate.secretEncryption, getCaller(request), String(id));
  if (session) return session;
  throw new GateError(
    'not_found',
    'This Mcp-Session-Id does not belong to this credential; initialize again.',
    {},
  );
}

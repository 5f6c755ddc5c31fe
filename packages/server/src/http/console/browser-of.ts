import { sha256Hex } from '@permitry/protocol';
import type { FastifyRequest } from 'fastify';
import type { GateParts } from '../../open-gate.ts';
import type { Browser } from '../../people/sessions/start-session.ts';
import { readSessionToken } from '../admission/session-cookie.ts';

/** Where a sign-in comes from, and the session of the browser's cookie. The sign-in ends that session. */
export async function browserOf(gate: GateParts, request: FastifyRequest): Promise<Browser> {
  const token = readSessionToken(request);
  const session =
    token === undefined ? undefined : await gate.storage.read.findSessionByToken(sha256Hex(token));
  return {
    address: request.ip,
    userAgent: request.headers['user-agent'] ?? null,
    sessionId: session?.id ?? null,
  };
}

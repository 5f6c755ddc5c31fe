import type { FastifyRequest } from 'fastify';
import type { SessionCaller } from '../../gate/access/caller.ts';
import { getCaller } from '../admission/request-context.ts';

/** Who is signed in. Every console route that is not public lets in nobody else. */
export function getPerson(request: FastifyRequest): SessionCaller {
  const caller = getCaller(request);
  if (caller.kind !== 'session') throw new Error(`${request.url} was reached without a session`);
  return caller;
}

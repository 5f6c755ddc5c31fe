import type { FastifyRequest } from 'fastify';
import type { SessionCaller } from '../../gate/access/caller.ts';
import { getCaller } from '../admission/request-context.ts';

/** The person who is signed in. Every console route that is not public requires one. */
export function getPerson(request: FastifyRequest): SessionCaller {
  const caller = getCaller(request);
  if (caller.kind !== 'session') throw new Error(`${request.url} was reached without a session`);
  return caller;
}

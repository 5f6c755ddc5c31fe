import type { FastifyRequest } from 'fastify';
import { isReviewer, type Reviewer } from '../../gate/access/caller.ts';
import { getCaller } from '../admission/request-context.ts';

/** The caller who reviews requests, at a route that people's programs may also read. */
export function getReviewer(request: FastifyRequest): Reviewer {
  const caller = getCaller(request);
  if (!isReviewer(caller))
    throw new Error(`${request.url} was reached by neither a person nor their program`);
  return caller;
}

/** What the shared steps know of a request by the time a route runs. */
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../gate/access/caller.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before the body is read; null on public routes. */
    caller: Caller | null;
    /** When the caller was let in, by `performance.now()`. */
    admittedAt: number;
    /** The body's bytes as they arrived; null when there were none. */
    rawBody: Buffer | null;
  }
}

/** Who calls. A route that is not public always has a caller; one that asks without having one is a fault. */
export function getCaller(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error(`${request.method} ${request.url} ran without a caller`);
  return request.caller;
}

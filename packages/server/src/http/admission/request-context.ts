/** What the shared steps know about a request when a route runs. */
import type { FastifyRequest } from 'fastify';
import type { Caller } from '../../gate/access/caller.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set before the body is read. Null on public routes. */
    caller: Caller | null;
    /** When the caller was admitted, by `performance.now()`. */
    admittedAt: number;
    /** The body's bytes as received. Null without a body. */
    rawBody: Buffer | null;
  }
}

/** The caller. A route that is not public always has one; to call this on a public route is a bug. */
export function getCaller(request: FastifyRequest): Caller {
  if (request.caller === null) throw new Error(`${request.method} ${request.url} ran without a caller`);
  return request.caller;
}

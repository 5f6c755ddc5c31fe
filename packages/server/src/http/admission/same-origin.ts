import type { FastifyRequest } from 'fastify';
import { GateError } from '../../gate/kernel/errors.ts';

/**
 * A browser sends the cookie along whoever wrote the page that asks, so whatever changes something must show that the
 * gate's own page asked: by `Origin`, which no page can forge, or, where a browser leaves that out, by
 * `Sec-Fetch-Site` (Fetch Metadata).
 *
 * @param ownOrigin That of base_url.
 * @throws GateError `forbidden`, required `same_origin`
 */
export function assertSameOrigin(request: FastifyRequest, ownOrigin: string): void {
  const { origin, 'sec-fetch-site': site } = request.headers;
  const isOwn = origin === undefined ? site === 'same-origin' : origin === ownOrigin;
  if (isOwn) return;
  throw new GateError('forbidden', `Only the pages at ${ownOrigin} may do this with a session.`, {
    required: 'same_origin',
  });
}

/** Methods that change nothing (RFC 9110 §9.2.1). */
export function isSafe(method: string): boolean {
  return method === 'GET' || method === 'HEAD' || method === 'OPTIONS';
}

import type { FastifyRequest } from 'fastify';
import { GateError } from '../../gate/kernel/errors.ts';

/**
 * Checks that the gate's own page sent a request that changes something, because a browser sends the cookie with
 * requests from any page. Uses `Origin`, which no page can forge. If a browser omits that, uses `Sec-Fetch-Site` (Fetch
 * Metadata).
 *
 * @param ownOrigin The origin of base_url.
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

import type { FastifyRequest } from 'fastify';
import { GateError } from '../../gate/kernel/errors.ts';

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Protects against DNS rebinding (MCP, Streamable HTTP, security warning). A browser names the origin of the page
 * that sends a request. Pages of other origins are refused, whatever host name led them here. Programs send no
 * `Origin`. A page on the loopback address may call a gate on the loopback address.
 *
 * @param issuer base_url of the gate.
 * @throws GateError `forbidden`, required `origin`
 */
export function assertOwnOrigin(request: FastifyRequest, issuer: URL): void {
  const { origin } = request.headers;
  if (origin === undefined || origin === issuer.origin) return;
  if (LOOPBACK.has(issuer.hostname) && URL.canParse(origin) && LOOPBACK.has(new URL(origin).hostname)) return;
  throw new GateError(
    'forbidden',
    'Requests from pages of other origins are refused; a program must not send Origin.',
    {
      required: 'origin',
    },
  );
}

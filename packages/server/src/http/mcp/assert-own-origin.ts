import type { FastifyRequest } from 'fastify';
import { GateError } from '../../gate/kernel/errors.ts';

const LOOPBACK: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]']);

/**
 * Against DNS rebinding (MCP, Streamable HTTP, security warning): a request that a browser sends names the page it comes
 * from, and pages of others have no business here, whatever name led them to this address. Programs name none. Pages of
 * this machine may ask a gate of this machine.
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
    'Pages of other origins may not ask here; leave Origin out in a program.',
    {
      required: 'origin',
    },
  );
}

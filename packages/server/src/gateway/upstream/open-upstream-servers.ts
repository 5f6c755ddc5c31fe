import { Outgoing } from '../../outgoing/outgoing.ts';
import type { AddressRange } from '../../outgoing/outgoing-addresses.ts';
import type { ConnectionPoolOptions } from './connection-pool.ts';
import { UpstreamServers } from './upstream-servers.ts';

/** Variables that a command inherits. The gate's own settings and secrets are not among them. */
const FROM_ENVIRONMENT = ['PATH', 'HOME', 'LANG'];

const CONNECT_TIMEOUT_MS = 10_000;

/** @param env Usually `process.env`. */
export function openUpstreamServers(
  env: Readonly<Record<string, string | undefined>>,
  {
    allowedPrivate,
    ...options
  }: Omit<ConnectionPoolOptions, 'outgoing' | 'environment'> & { allowedPrivate: readonly AddressRange[] },
): UpstreamServers {
  const environment = Object.fromEntries(
    FROM_ENVIRONMENT.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
  const outgoing = new Outgoing({ allowedPrivate, connectTimeoutMs: CONNECT_TIMEOUT_MS });
  return new UpstreamServers({ ...options, outgoing, environment });
}

import { Outgoing } from '../../outgoing/outgoing.ts';
import type { AddressRange } from '../../outgoing/outgoing-addresses.ts';
import type { ConnectionPoolOptions } from './connection-pool.ts';
import { UpstreamServers } from './upstream-servers.ts';

/** What a command finds of the environment it was started from; the gate's own settings and secrets are not among it. */
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

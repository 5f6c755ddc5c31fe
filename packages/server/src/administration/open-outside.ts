/** The network access of a gate that the command line opens. Only commands that need network access load this file. */
import { openUpstreamServers } from '../gateway/upstream/open-upstream-servers.ts';
import type { OpenGateOptions } from '../open-gate.ts';
import { openReach } from '../outgoing/notifications/open-reach.ts';
import { Outgoing } from '../outgoing/outgoing.ts';
import { type AddressRange, readAddressRanges } from '../outgoing/outgoing-addresses.ts';

/** Private ranges that an operator may allow a gate to reach. */
const PRIVATE_RANGES = readAddressRanges(
  '10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,127.0.0.0/8,169.254.0.0/16,100.64.0.0/10,::1,fc00::/7,fe80::/10',
);

/**
 * Opens network access for accepting webhook addresses; nothing is sent. Private addresses are accepted as well. Each
 * sending gate has a setting for the private addresses that it may reach, and checks every connection.
 */
export function openToWebhooks(allowedPrivate: readonly AddressRange[]) {
  const { reach } = reachOf([...allowedPrivate, ...PRIVATE_RANGES]);
  return {
    reach,
    isPrivate: (url: string) => reachOf(allowedPrivate).reach.findTargetProblem(url) !== undefined,
  };
}

/** Opens network access to MCP servers. Each line that their commands write to stderr goes to `onErrorLine`. */
export function openToUpstreams(
  allowedPrivate: readonly AddressRange[],
  onErrorLine: (line: string) => void,
) {
  return {
    ...reachOf(allowedPrivate),
    upstreams: openUpstreamServers(process.env, { allowedPrivate, onErrorLine }),
  };
}

function reachOf(allowedPrivate: readonly AddressRange[]): Required<Pick<OpenGateOptions, 'reach'>> {
  return { reach: openReach({ configured: false }, new Outgoing({ allowedPrivate })) };
}

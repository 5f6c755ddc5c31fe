/** What a gate that the command line opens may reach; loaded by the commands that reach something. */
import { openUpstreamServers } from '../gateway/upstream/open-upstream-servers.ts';
import type { OpenGateOptions } from '../open-gate.ts';
import { openReach } from '../outgoing/notifications/open-reach.ts';
import { Outgoing } from '../outgoing/outgoing.ts';
import { type AddressRange, readAddressRanges } from '../outgoing/outgoing-addresses.ts';

/** What an operator may allow a gate to reach beside the public internet. */
const PRIVATE_RANGES = readAddressRanges(
  '10.0.0.0/8,172.16.0.0/12,192.168.0.0/16,127.0.0.0/8,169.254.0.0/16,100.64.0.0/10,::1,fc00::/7,fe80::/10',
);

/**
 * To take addresses of webhooks; nothing is sent by it. Private ones are taken too: which of them may be reached is a
 * setting of the gates that send, and each asks it of every connection.
 */
export function openToWebhooks(allowedPrivate: readonly AddressRange[]) {
  const { reach } = reachOf([...allowedPrivate, ...PRIVATE_RANGES]);
  return {
    reach,
    isPrivate: (url: string) => reachOf(allowedPrivate).reach.findTargetProblem(url) !== undefined,
  };
}

/** To talk to servers of others; what its commands write goes to `onErrorLine`. */
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

/** What the command line may use of upstream servers; apart from the rest, for it loads what speaks with them. */

import { openUpstreamServers } from '../gateway/upstream/open-upstream-servers.ts';
import type { OpenGateOptions } from '../open-gate.ts';
import { openReach } from '../outgoing/notifications/open-reach.ts';
import { Outgoing } from '../outgoing/outgoing.ts';
import type { AddressRange } from '../outgoing/outgoing-addresses.ts';

export { addUpstream } from '../gate/upstreams/add-upstream.ts';
export { approveTools, withdrawTools } from '../gate/upstreams/approve-tools.ts';
export { riskTierOf } from '../gate/upstreams/offered-tool.ts';
export { listUpstreams, listUpstreamTools, refreshUpstream } from '../gate/upstreams/read-upstreams.ts';
export { removeUpstream } from '../gate/upstreams/update-upstream.ts';
export type { Upstream, UpstreamSettings, UpstreamTool } from '../gate/upstreams/upstream.ts';
export { openSettings } from '../gate/upstreams/upstream-settings.ts';
export { toWireUpstream, toWireUpstreamTool } from '../http/surface-b/to-wire-upstream.ts';

/** What a gate is to be opened with to talk to servers of others; what its commands write goes to `onErrorLine`. */
export function openToUpstreams(
  env: Readonly<Record<string, string | undefined>>,
  {
    allowedPrivate,
    onErrorLine,
  }: { allowedPrivate: readonly AddressRange[]; onErrorLine: (line: string) => void },
): Required<Pick<OpenGateOptions, 'reach' | 'upstreams'>> {
  return {
    reach: openReach({ configured: false }, new Outgoing({ allowedPrivate })),
    upstreams: openUpstreamServers(env, { allowedPrivate, onErrorLine }),
  };
}

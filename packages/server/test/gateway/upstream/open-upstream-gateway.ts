/** The gateway with short limits, in front of MCP servers, which may run on this machine. */

import { addUpstream } from '../../../src/gate/upstreams/add-upstream.ts';
import { approveTools } from '../../../src/gate/upstreams/approve-tools.ts';
import { listUpstreamTools, refreshUpstream } from '../../../src/gate/upstreams/read-upstreams.ts';
import type { Upstream, UpstreamSettings, UpstreamTool } from '../../../src/gate/upstreams/upstream.ts';
import type { ConnectionPoolOptions } from '../../../src/gateway/upstream/connection-pool.ts';
import { UpstreamServers } from '../../../src/gateway/upstream/upstream-servers.ts';
import type { Metrics } from '../../../src/ops/metrics/metrics.ts';
import { openReach } from '../../../src/outgoing/notifications/open-reach.ts';
import { Outgoing } from '../../../src/outgoing/outgoing.ts';
import { readAddressRanges } from '../../../src/outgoing/outgoing-addresses.ts';
import { OPERATOR } from '../../fixtures/open-test-gate.ts';
import { openGateway, type TestGateway } from '../open-gateway.ts';

export interface UpstreamGateway extends TestGateway {
  upstreams: UpstreamServers;
  /** Lines that commands wrote to their standard error. */
  errorLines: string[];
  /** Registers a server as the operator, checks it, and approves all tools that can be approved. */
  register(settings: UpstreamSettings, name?: string): Promise<Upstream>;
  refresh(upstream: Upstream): Promise<Upstream>;
  tools(upstream: Upstream): Promise<readonly UpstreamTool[]>;
  /** Approves tools of a server as last found. */
  approveFound(upstream: Upstream, ...names: string[]): Promise<void>;
}

export async function openUpstreamGateway(
  options: Partial<ConnectionPoolOptions> & { allowedPrivate?: string; metrics?: Metrics } = {},
): Promise<UpstreamGateway> {
  const { allowedPrivate = '127.0.0.1', metrics, ...others } = options;
  const outgoing = new Outgoing({
    allowedPrivate: allowedPrivate === '' ? [] : readAddressRanges(allowedPrivate),
    connectTimeoutMs: 30_000,
  });
  const errorLines: string[] = [];
  const upstreams = new UpstreamServers({
    outgoing,
    environment: { PATH: process.env.PATH ?? '' },
    onErrorLine: (line) => errorLines.push(line),
    freshMs: 0,
    pollEveryMs: 3_600_000,
    ...others,
    patience: {
      connectMs: 30_000,
      requestMs: 30_000,
      listMs: 30_000,
      probeMs: 30_000,
      callMs: 30_000,
      firstPauseMs: 1,
      longestPauseMs: 1,
      ...others.patience,
    },
  });
  const t = await openGateway({
    ...(metrics ? { deps: { metrics } } : {}),
    outside: { upstreams, reach: openReach({ configured: false }, outgoing) },
  });
  const { gate, projectId } = t;
  await t.setPolicy([{ name: 'all is free', match: { action: '*' }, effect: 'allow' }]);
  const tools = (upstream: Upstream) =>
    listUpstreamTools(gate, OPERATOR, { projectId, upstreamId: upstream.id });
  const refresh = (upstream: Upstream) =>
    refreshUpstream(gate, OPERATOR, { projectId, upstreamId: upstream.id });
  const approveFound = async (upstream: Upstream, ...names: string[]) => {
    const found = (await tools(upstream)).filter(({ name }) => names.includes(name));
    await approveTools(gate, OPERATOR, {
      projectId,
      upstreamId: upstream.id,
      tools: found.map(({ name, found: definition }) => ({ name, hash: definition?.hash ?? '' })),
    });
  };
  return {
    ...t,
    upstreams,
    errorLines,
    tools,
    refresh,
    approveFound,
    async register(settings, name = 'notes') {
      const added = await addUpstream(gate, OPERATOR, { projectId, name, settings });
      const upstream = await refresh(added);
      const usable = (await tools(upstream)).filter(({ obstacle }) => obstacle === null);
      if (usable.length > 0) await approveFound(upstream, ...usable.map((tool) => tool.name));
      return upstream;
    },
  };
}

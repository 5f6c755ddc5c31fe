import type { UpstreamSchema, UpstreamToolSchema } from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import { riskTierOf } from '../../gate/upstreams/offered-tool.ts';
import type { Upstream, UpstreamTool } from '../../gate/upstreams/upstream.ts';

export function toWireUpstream(upstream: Upstream): Static<typeof UpstreamSchema> {
  return {
    id: upstream.id,
    name: upstream.name,
    kind: upstream.kind,
    target: upstream.target,
    secret_names: [...upstream.secretNames],
    risk_tier: upstream.riskTier,
    timeout_seconds: upstream.timeoutSeconds,
    server: upstream.server,
    looked_at: upstream.polledAt,
    failing_since: upstream.failingSince,
    error: upstream.error,
    created_at: upstream.createdAt,
    updated_at: upstream.updatedAt,
  };
}

export function toWireUpstreamTool(
  upstream: Pick<Upstream, 'name' | 'riskTier'>,
  tool: UpstreamTool,
): Static<typeof UpstreamToolSchema> {
  const isCallable = tool.found !== null || tool.pinned !== null;
  return {
    name: tool.name,
    action: isCallable ? `${upstream.name}.${tool.name}` : null,
    state: tool.state,
    obstacle: tool.obstacle,
    risk_tier: riskTierOf(upstream, tool, tool.pinned ?? tool.found),
    risk_tier_set: tool.riskTier,
    found: tool.found,
    pinned: tool.pinned,
    found_at: tool.foundAt,
    changed_at: tool.changedAt,
    approved_at: tool.approvedAt,
  };
}

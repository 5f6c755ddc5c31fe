/** A server's tool as agents and approvers see it: the pinned definition, never the server's current one. Pure. */
import { type JsonObject, type JsonValue, RISK_TIERS, type RiskTier } from '@permitry/protocol';
import type { Tool } from '../tools/connectors.ts';
import type { OfferedUpstreamTool, ToolDefinition, Upstream, UpstreamTool } from './upstream.ts';

export function toOfferedTool({ upstream, tool }: OfferedUpstreamTool): Tool {
  const { content } = tool.pinned;
  const { title, description, annotations } = content;
  const hints = asObject(annotations) ?? {};
  return {
    name: `${upstream.name}.${tool.name}`,
    title: asText(title) ?? asText(hints.title) ?? tool.name,
    description: asText(description) ?? '',
    connector: upstream.name,
    riskTier: riskTierOf(upstream, tool, tool.pinned),
    inputSchema: asObject(content.inputSchema) ?? { type: 'object' },
    outputSchema: asObject(content.outputSchema) ?? null,
    annotations: hints,
    resultForm: 'mcp',
  };
}

/**
 * The tier that a person set for the tool. Otherwise the server's tier, but at least `high` for a tool that declares
 * itself destructive. A hint never lowers the tier: `readOnlyHint` is only the server's claim.
 */
export function riskTierOf(
  { riskTier }: Pick<Upstream, 'riskTier'>,
  tool: Pick<UpstreamTool, 'riskTier'>,
  definition: ToolDefinition | null,
): RiskTier {
  if (tool.riskTier !== null) return tool.riskTier;
  const destroys = asObject(definition?.content.annotations)?.destructiveHint === true;
  return destroys && RISK_TIERS.indexOf(riskTier) < RISK_TIERS.indexOf('high') ? 'high' : riskTier;
}

function asText(value: JsonValue | undefined): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function asObject(value: JsonValue | undefined): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}

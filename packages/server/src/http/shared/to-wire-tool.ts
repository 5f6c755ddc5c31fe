import type { GatewayToolA } from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import type { Tool } from '../../gate/gateway/connectors.ts';

/** What `toolHash` hashes of a tool, and no more, in the words of the wire. */
export function toWireTool(tool: Tool): Static<typeof GatewayToolA> {
  return {
    name: tool.name,
    title: tool.title,
    description: tool.description,
    connector: tool.connector,
    risk_tier: tool.riskTier,
    input_schema: tool.inputSchema,
    output_schema: tool.outputSchema,
    annotations: tool.annotations,
  };
}

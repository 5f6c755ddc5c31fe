import type { Tool as McpTool } from '@modelcontextprotocol/server';
import type { Tool } from '../../gate/tools/connectors.ts';

/**
 * A protected tool as MCP lists it. Its output schema is left out: clients validate every structured answer against
 * it, and a pending answer would fail.
 */
export function toMcpTool({ name, title, description, inputSchema, annotations, riskTier }: Tool): McpTool {
  return {
    name,
    title,
    description,
    inputSchema: inputSchema as McpTool['inputSchema'],
    annotations: annotations as McpTool['annotations'],
    _meta: { 'permitry/risk_tier': riskTier },
  };
}

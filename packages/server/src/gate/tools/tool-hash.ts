import { hashJson, type Sha256Hash } from '@permitry/protocol';
import type { Tool } from './connectors.ts';

const known = new WeakMap<Tool, Sha256Hash>();

/** All that is shown of a tool, to approvers and to agents. */
export function shownTool(tool: Tool) {
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

/** Hash of all that is shown of a tool: what people and agents saw is what is run. A tool is never changed in place. */
export function toolHash(tool: Tool): Sha256Hash {
  const kept = known.get(tool);
  if (kept) return kept;
  const hash = hashJson(shownTool(tool));
  known.set(tool, hash);
  return hash;
}

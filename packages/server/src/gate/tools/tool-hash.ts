import { hashJson, type Sha256Hash } from '@permitry/protocol';
import type { Tool } from './connectors.ts';

const known = new WeakMap<Tool, Sha256Hash>();

/** Every member of a tool that approvers and agents see. */
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

/**
 * Hash of everything shown of a tool: the gate runs only what people and agents saw. Cached by object, because a tool
 * object is never changed in place.
 */
export function toolHash(tool: Tool): Sha256Hash {
  const kept = known.get(tool);
  if (kept) return kept;
  const hash = hashJson(shownTool(tool));
  known.set(tool, hash);
  return hash;
}

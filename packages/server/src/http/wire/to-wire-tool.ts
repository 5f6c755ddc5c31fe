import type { GatewayToolA } from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import type { Tool } from '../../gate/tools/connectors.ts';
import { shownTool } from '../../gate/tools/tool-hash.ts';

/** What `toolHash` hashes of a tool, and no more: it has the words of the wire. */
export function toWireTool(tool: Tool): Static<typeof GatewayToolA> {
  return shownTool(tool);
}

import type { GatewayToolA } from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import type { Tool } from '../../gate/tools/connectors.ts';
import { shownTool } from '../../gate/tools/tool-hash.ts';

/** The parts of a tool that `toolHash` covers, and no more, under their wire names. */
export function toWireTool(tool: Tool): Static<typeof GatewayToolA> {
  return shownTool(tool);
}

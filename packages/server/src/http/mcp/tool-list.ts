import { INVALID_PARAMS, type ListToolsResult, ProtocolError } from '@modelcontextprotocol/server';
import { listTools } from '../../gate/tools/list-tools.ts';
import type { Exchange } from './exchange.ts';
import { OWN_TOOLS } from './own-tools.ts';
import { toPlainName } from './plain-names.ts';
import { toMcpTool } from './to-mcp-tool.ts';

const PAGE = 100;

/**
 * Lists the tools of the caller's project by name, one page at a time, after the gate's own tools. The cursor is the
 * last name shown, so no page loses or repeats a tool when others are added or removed.
 */
export async function listMcpTools(
  { gate, caller, plainNames }: Exchange,
  cursor: string | undefined,
): Promise<ListToolsResult> {
  const after = cursor === undefined ? '' : readCursor(cursor);
  const protectedTools = (await listTools(gate, caller)).toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const rest = protectedTools.filter(({ name }) => name > after);
  const page = rest.slice(0, PAGE);
  const last = page.at(-1);
  const tools = [...(cursor === undefined ? OWN_TOOLS : []), ...page.map(toMcpTool)];
  return {
    tools: plainNames ? tools.map((tool) => ({ ...tool, name: toPlainName(tool.name) })) : tools,
    ...(last !== undefined && rest.length > PAGE ? { nextCursor: writeCursor(last.name) } : {}),
  };
}

function writeCursor(name: string): string {
  return Buffer.from(name).toString('base64url');
}

function readCursor(cursor: string): string {
  const name = Buffer.from(cursor, 'base64url').toString();
  if (name === '' || writeCursor(name) !== cursor) {
    throw new ProtocolError(INVALID_PARAMS, 'The cursor does not come from tools/list.');
  }
  return name;
}

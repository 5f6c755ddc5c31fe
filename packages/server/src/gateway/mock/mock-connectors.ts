/**
 * Six connectors that do nothing except record each call, for trials and demonstrations of the gateway. There is one
 * record per intent.
 */
import type { Instant } from '../../gate/kernel/instant.ts';
import type { Connectors, OwnWork, Tool, ToolCall } from '../../gate/tools/connectors.ts';
import { MOCK_TOOLS, type MockTool } from './mock-tools.ts';

const TOOLS: readonly Tool[] = MOCK_TOOLS.map(({ tool }) => tool);
const BY_NAME: ReadonlyMap<string, MockTool> = new Map(MOCK_TOOLS.map((mock) => [mock.tool.name, mock]));

/** Names that no other connector may use. */
export const MOCK_CONNECTORS: ReadonlySet<string> = new Set(TOOLS.map(({ connector }) => connector));

export const mockConnectors = {
  list: async () => TOOLS,
  find: async (_projectId: string, name: string) => BY_NAME.get(name)?.tool,
  findOwnWork,
  run: async () => ({ kind: 'failed', message: 'There is no such mock.', result: null }),
} satisfies Connectors;

function findOwnWork(
  { tool, projectId, intentId: id, arguments: given }: Omit<ToolCall, 'signal' | 'line'>,
  now: Instant,
): OwnWork | undefined {
  const performed = BY_NAME.get(tool.name)?.perform(given, id);
  if (!performed) return undefined;
  if ('refusal' in performed) {
    return { result: { kind: 'failed', message: performed.refusal, result: null }, write: async () => {} };
  }
  const { connector, name } = tool;
  const record = { id, projectId, connector, tool: name, arguments: given, at: now };
  return {
    result: { kind: 'succeeded', result: performed.result },
    async write(tx) {
      // An approval is used only once, and this record is committed in the same transaction as that use.
      if (!(await tx.insertMockRecord(record))) throw new Error(`${id} was done already`);
    },
  };
}

import type { JsonObject } from '@permitry/protocol';
import type { Tool } from '../../gate/tools/connectors.ts';

/** One tool of a mock connector: what it is, and what it would have said. */
export interface MockTool {
  tool: Tool;
  /**
   * What the real thing would answer. Pure: what was done stands in the connector's records.
   *
   * @param id The intent's.
   */
  perform(given: JsonObject, id: string): { result: JsonObject } | { refusal: string };
}

/** What all mock tools have in common. */
export function mockTool(
  tool: Omit<Tool, 'connector' | 'outputSchema' | 'resultForm' | 'annotations'>,
  perform: MockTool['perform'],
): MockTool {
  const [connector = ''] = tool.name.split('.');
  return {
    tool: {
      ...tool,
      connector,
      outputSchema: null,
      annotations: {
        destructiveHint: true,
        idempotentHint: false,
        openWorldHint: false,
        readOnlyHint: false,
      },
      resultForm: 'json',
    },
    perform,
  };
}

/** A schema of arguments that takes no others than these. */
export function argumentsOf(properties: JsonObject, required: readonly string[]): JsonObject {
  return { type: 'object', properties, required: [...required], additionalProperties: false };
}

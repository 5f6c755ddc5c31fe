import type { JsonObject } from '@permitry/protocol';
import type { Tool } from '../../gate/tools/connectors.ts';

/** One tool of a mock connector: its definition and its simulated answer. */
export interface MockTool {
  tool: Tool;
  /**
   * Makes the answer that a real tool would give. Pure: the connector's records show what was done.
   *
   * @param id ID of the intent.
   */
  perform(given: JsonObject, id: string): { result: JsonObject } | { refusal: string };
}

/** Adds what all mock tools share. */
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

/** A schema that accepts these arguments and no others. */
export function argumentsOf(properties: JsonObject, required: readonly string[]): JsonObject {
  return { type: 'object', properties, required: [...required], additionalProperties: false };
}

/**
 * The tools that the conformance suite calls, as a connector of the gate. They reach its client under the expected
 * names.
 */
import type { JsonObject } from '@permitry/protocol';
import type {
  CallerLine,
  Connectors,
  Tool,
  ToolResult,
} from '../../packages/server/src/gate/tools/connectors.ts';

const PIXEL =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==';
const SILENCE = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';

const TEXT = { type: 'text', text: 'This is a simple text response for testing.' };
const IMAGE = { type: 'image', data: PIXEL, mimeType: 'image/png' };
const RESOURCE = {
  type: 'resource',
  resource: {
    uri: 'test://embedded-resource',
    mimeType: 'text/plain',
    text: 'This is an embedded resource content.',
  },
};

interface SuiteTool {
  inputSchema?: JsonObject;
  run(line: CallerLine | undefined, given: JsonObject): ToolResult | Promise<ToolResult>;
}

const TOOLS: Readonly<Record<string, SuiteTool>> = {
  test_simple_text: answering(TEXT),
  test_image_content: answering(IMAGE),
  test_audio_content: answering({ type: 'audio', data: SILENCE, mimeType: 'audio/wav' }),
  test_embedded_resource: answering(RESOURCE),
  test_multiple_content_types: answering(TEXT, IMAGE, RESOURCE),
  test_error_handling: {
    run: () => ({
      kind: 'failed',
      message: 'This tool intentionally returns an error for testing',
      result: null,
    }),
  },
  test_reconnection: answering(TEXT),
  test_tool_with_progress: {
    async run(line) {
      for (const progress of [0, 50, 100]) {
        line?.progress({ progress, total: 100 });
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      return answer('Done with progress.');
    },
  },
  test_tool_with_logging: {
    async run(line) {
      for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
        line?.log({ level: 'info', data });
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      return answer('Done with logging.');
    },
  },
  test_sampling: {
    inputSchema: { type: 'object', properties: { prompt: { type: 'string' } }, required: ['prompt'] },
    async run(line, { prompt = null }) {
      const messages = [{ role: 'user', content: { type: 'text', text: prompt } }];
      const said = await line?.ask('sampling/createMessage', { messages, maxTokens: 100 });
      return answer(`LLM response: ${JSON.stringify(said?.content)}`);
    },
  },
  test_elicitation: {
    inputSchema: { type: 'object', properties: { message: { type: 'string' } }, required: ['message'] },
    run: (line, { message = '' }) =>
      askForm(line, String(message), {
        properties: { username: { type: 'string' }, email: { type: 'string' } },
        required: ['username', 'email'],
      }),
  },
  test_elicitation_sep1034_defaults: {
    run: (line) =>
      askForm(line, 'Please review', {
        properties: {
          name: { type: 'string', default: 'John Doe' },
          age: { type: 'integer', default: 30 },
          score: { type: 'number', default: 95.5 },
          status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
          verified: { type: 'boolean', default: true },
        },
      }),
  },
  test_elicitation_sep1330_enums: {
    run: (line) =>
      askForm(line, 'Please choose', {
        properties: {
          untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
          titledSingle: {
            type: 'string',
            oneOf: titled('value', ['First Option', 'Second Option', 'Third Option']),
          },
          legacyEnum: {
            type: 'string',
            enum: ['opt1', 'opt2', 'opt3'],
            enumNames: ['Option One', 'Option Two', 'Option Three'],
          },
          untitledMulti: {
            type: 'array',
            items: { type: 'string', enum: ['option1', 'option2', 'option3'] },
          },
          titledMulti: {
            type: 'array',
            items: { anyOf: titled('value', ['First Choice', 'Second Choice', 'Third Choice']) },
          },
        },
      }),
  },
  json_schema_2020_12_tool: {
    inputSchema: {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      $defs: {
        address: { type: 'object', properties: { street: { type: 'string' }, city: { type: 'string' } } },
      },
      properties: { name: { type: 'string' }, address: { $ref: '#/$defs/address' } },
      additionalProperties: false,
    },
    run: () => ({ kind: 'succeeded', result: { content: [TEXT] } }),
  },
};

function titled(stem: string, titles: readonly string[]): JsonObject[] {
  return titles.map((title, index) => ({ const: `${stem}${index + 1}`, title }));
}

async function askForm(
  line: CallerLine | undefined,
  message: string,
  form: { properties: JsonObject; required?: string[] },
): Promise<ToolResult> {
  const said = await line?.ask('elicitation/create', {
    mode: 'form',
    message,
    requestedSchema: { type: 'object', ...form },
  });
  return answer(`Elicitation completed: action=${said?.action}, content=${JSON.stringify(said?.content)}`);
}

function answer(text: string): ToolResult {
  return { kind: 'succeeded', result: { content: [{ type: 'text', text }] } };
}

function answering(...content: JsonObject[]): SuiteTool {
  return { run: () => ({ kind: 'succeeded', result: { content } }) };
}

const OFFERED: readonly Tool[] = Object.entries(TOOLS).map(([name, { inputSchema }]) => ({
  name,
  title: name,
  description: `The suite's ${name}.`,
  connector: 'suite',
  riskTier: 'low',
  inputSchema: inputSchema ?? { type: 'object' },
  outputSchema: null,
  annotations: {},
  resultForm: 'mcp',
}));

export const suiteTools: Connectors = {
  list: async () => OFFERED,
  find: async (_projectId, name) => OFFERED.find((tool) => tool.name === name),
  async run({ tool, line, arguments: given }) {
    const known = TOOLS[tool.name];
    return known ? known.run(line, given) : { kind: 'failed', message: 'no such tool', result: null };
  },
};

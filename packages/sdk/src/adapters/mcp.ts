/**
 * The gate in front of the tools of any MCP server, at the client that calls them.
 *
 * @module
 */
import { DeniedError, type JsonObject, type Permitry } from '../index.ts';
import { NotRunError } from './not-run-error.ts';
import { ToolGate } from './tool-gate.ts';
import type { ToolGateOptions } from './tool-gate-options.ts';

export { NotRunError } from './not-run-error.ts';
export type { IntentDetails, Scope, ToolGateOptions } from './tool-gate-options.ts';

/** How the tools of a server are protected. */
export interface McpGateOptions extends ToolGateOptions {
  /** Which tools; others are called as before. Left out: all of them. */
  isProtected?: ((toolName: string) => boolean) | undefined;
}

/** What is used of an MCP client. */
export interface McpClient {
  callTool(params: McpCall, ...rest: never[]): Promise<object>;
}

/** A call of a tool. */
export interface McpCall {
  name: string;
  arguments?: Record<string, unknown> | undefined;
}

/**
 * The same client, with `callTool` behind the gate: declared with the tool's arguments, decided, the permit used up, then
 * sent once. A call that may not run answers a tool's result with `isError` and the reason, for the model. The outcome is
 * `failed` where the tool says `isError`.
 *
 * @example
 * const tools = protectClient(client, permitry, { action: (tool) => `crm.${tool}` });
 * const result = await tools.callTool({ name: 'delete_contact', arguments: { id: 7 } });
 */
export function protectClient<T extends McpClient>(
  client: T,
  permitry: Permitry,
  options: McpGateOptions = {},
): T {
  const { isProtected = () => true, ...gateOptions } = options;
  const gate = new ToolGate(permitry, gateOptions);
  const callTool = async (call: McpCall, ...rest: never[]): Promise<object> => {
    if (!isProtected(call.name)) return client.callTool(call, ...rest);
    const { signal } = (rest[0] ?? {}) as { signal?: AbortSignal };
    try {
      const prepared = await gate.prepare({ toolName: call.name, input: call.arguments });
      const send = async (params: JsonObject) => {
        const result = await client.callTool({ ...call, arguments: params }, ...rest);
        if ((result as { isError?: boolean }).isError === true) throw new ToolFailed(result);
        return result;
      };
      return await gate.run(prepared, send, { signal });
    } catch (error) {
      if (error instanceof ToolFailed) return error.result;
      if (error instanceof DeniedError || error instanceof NotRunError)
        return { isError: true, content: [{ type: 'text', text: error.message }] };
      throw error;
    }
  };
  return new Proxy(client, {
    get(target, name) {
      if (name === 'callTool') return callTool;
      const property: unknown = Reflect.get(target, name, target);
      // Its methods reach for private members, which only the client itself has.
      return typeof property === 'function' ? property.bind(target) : property;
    },
  });
}

/** What a tool answered, on its way to being reported as failed. */
class ToolFailed extends Error {
  readonly result: object;

  constructor(result: object) {
    super('the tool answered an error');
    this.result = result;
  }
}

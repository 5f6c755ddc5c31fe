/**
 * Puts the gate in front of the tools of any MCP server, at the client that calls them.
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
  /** Which tools are protected. Others are called as before. Default: all of them. */
  isProtected?: ((toolName: string) => boolean) | undefined;
}

/** The members of an MCP client that are used. */
export interface McpClient {
  callTool(params: McpCall, ...rest: never[]): Promise<object>;
}

/** A call of a tool. */
export interface McpCall {
  name: string;
  arguments?: Record<string, unknown> | undefined;
}

/**
 * Returns the same client with `callTool` behind the gate. Each call is sent to the gate with the tool's arguments and
 * decided. Its permit is used, and the call is sent once. A call that may not run returns a tool result with `isError`
 * and the reason, for the model. The outcome is `failed` if the tool reports `isError`.
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
      // Its methods access private members, which only the client itself has.
      return typeof property === 'function' ? property.bind(target) : property;
    },
  });
}

/** Carries a tool's answer until the outcome is reported as failed. */
class ToolFailed extends Error {
  readonly result: object;

  constructor(result: object) {
    super('the tool answered an error');
    this.result = result;
  }
}

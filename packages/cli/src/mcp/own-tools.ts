/**
 * The tools that the wrapper adds to those of the server it wraps, under names that every model accepts. None of them
 * decides.
 */
import type { JSONRPCMessage } from '@modelcontextprotocol/server';
import { type JsonObject, ownTools } from '@permitry/protocol';
import { isObject } from '../is-object.ts';
import type { Answer } from './messages.ts';

export const RESULT_TOOL = 'permitry_result';
export const WITHDRAW_TOOL = 'permitry_withdraw';

const OWN_TOOLS = ownTools({
  result: RESULT_TOOL,
  withdraw: WITHDRAW_TOOL,
  id: { intent_id: { type: 'string', description: 'The intent_id from the answer that said `pending`.' } },
});

const REQUIRES_TASK = 'required';

/** Tools in the list that can only be called as a task (2025-11-25). The wrapper does not make such calls. */
export function findTaskTools({ result }: Answer): string[] {
  const tools = Array.isArray(result?.tools) ? result.tools.filter(isObject) : [];
  return tools.filter(requiresTask).map(({ name }) => String(name));
}

function requiresTask(tool: JsonObject): boolean {
  return isObject(tool.execution) && tool.execution.taskSupport === REQUIRES_TASK;
}

/** The server's capabilities without tasks: a client that made its calls as tasks would bypass the gate's answer. */
export function withoutTasks(answer: JSONRPCMessage & Answer): JSONRPCMessage {
  const { result } = answer;
  if (!result || !isObject(result.capabilities) || !('tasks' in result.capabilities)) return answer;
  const { tasks: _, ...capabilities } = result.capabilities;
  return { ...answer, result: { ...result, capabilities } } as JSONRPCMessage;
}

export function isOwnTool(name: unknown): boolean {
  return name === RESULT_TOOL || name === WITHDRAW_TOOL;
}

/**
 * The server's tools and, on their last page, the wrapper's own. A server's tool with one of those names cannot be
 * called, and a tool that works only as a task is left out. Output schemas are left out too: clients check every
 * structured answer against them, and "waiting for a person" would fail that check.
 */
export function withOwnTools(answer: JSONRPCMessage & Answer): JSONRPCMessage {
  const { result } = answer;
  if (!result || !Array.isArray(result.tools)) return answer;
  const tools = result.tools
    .filter(isObject)
    .filter((tool) => !isOwnTool(tool.name) && !requiresTask(tool))
    .map(({ outputSchema: _, execution: __, ...tool }) => tool);
  const isLast = result.nextCursor === undefined;
  return {
    ...answer,
    result: { ...result, tools: isLast ? [...tools, ...OWN_TOOLS] : tools },
  } as JSONRPCMessage;
}

/**
 * Puts the gate in front of tools of the Claude Agent SDK, including its built-in ones.
 *
 * @module
 */
import type { JsonObject, Permitry } from '../index.ts';
import { RunningCalls } from './running-calls.ts';
import { toModelError } from './to-model-error.ts';
import { ToolGate } from './tool-gate.ts';
import type { ToolGateOptions } from './tool-gate-options.ts';

export type { IntentDetails, Scope, ToolGateOptions } from './tool-gate-options.ts';

/** How an agent's tools are protected. */
export interface AgentToolOptions extends ToolGateOptions {
  /** Which tools the gate decides about. Default: all that the SDK asks about. */
  isProtected?: ((toolName: string, input: Record<string, unknown>) => boolean) | undefined;
  /** Your own `canUseTool` for the other tools (`AskUserQuestion`, for example). Default: they are denied. */
  otherwise?: CanUseTool | undefined;
}

/** The answer of `canUseTool`. */
export type PermissionResult =
  | { behavior: 'allow'; updatedInput: Record<string, unknown> }
  | { behavior: 'deny'; message: string; interrupt?: boolean };

/** The function that the SDK asks whether a tool may run. */
export type CanUseTool = (
  toolName: string,
  input: Record<string, unknown>,
  options: { signal: AbortSignal; toolUseID?: string },
) => Promise<PermissionResult>;

/** The members of a hook's input that are used. */
export interface HookInput {
  hook_event_name: string;
  tool_name?: string;
  tool_input?: unknown;
  tool_use_id?: string;
}

/** The answer of a hook: nothing, or the decision of a PreToolUse hook. */
export interface HookAnswer {
  hookSpecificOutput?: {
    hookEventName: 'PreToolUse';
    permissionDecision: 'allow' | 'deny';
    permissionDecisionReason?: string;
    updatedInput?: Record<string, unknown>;
  };
}

/** A hook, as the SDK calls it. */
export type Hook = (
  input: HookInput,
  toolUseId: string | undefined,
  options: { signal: AbortSignal },
) => Promise<HookAnswer>;

/** What to pass to `query()`. */
export interface AgentToolGate {
  /** For `options.canUseTool`. The gate decides what the SDK would ask a person about. */
  canUseTool: CanUseTool;
  /**
   * For `options.hooks.PreToolUse`, instead of `canUseTool`. The gate decides every protected call, even if the
   * permission mode allows it.
   */
  preToolUse: Hook;
  /** For `options.hooks`. They report the outcome of each call after its end. Without them no outcome is reported. */
  hooks: Record<'PostToolUse' | 'PostToolUseFailure', { hooks: Hook[] }[]>;
}

/**
 * Creates a gate for an agent's tools. The permit is used when the SDK learns that it may run the tool. It covers
 * exactly the input that the tool then runs with. The model gets a denial and its reason.
 *
 * @example
 * const gate = createAgentToolGate(permitry, { action: (tool) => `agent.${tool}` });
 * for await (const message of query({ prompt, options: { canUseTool: gate.canUseTool, hooks: gate.hooks } })) …
 */
export function createAgentToolGate(client: Permitry, options: AgentToolOptions = {}): AgentToolGate {
  const { isProtected = () => true, otherwise = denyOthers, ...gateOptions } = options;
  const gate = new ToolGate(client, gateOptions);
  const running = new RunningCalls();

  const decide = async (
    toolName: string,
    input: Record<string, unknown>,
    callId: string | undefined,
    signal: AbortSignal,
  ): Promise<{ isAllowed: true; params: JsonObject } | { isAllowed: false; message: string }> => {
    try {
      const call = await gate.prepare({ toolName, input, callId });
      return await new Promise((allow, refuse) => {
        const begin = (params: JsonObject) => {
          allow({ isAllowed: true, params });
          return running.ended(callId);
        };
        // The run ends when the tool ends. The hooks report that end, long after this answer.
        gate.run(call, begin, { signal }).catch(refuse);
      });
    } catch (error) {
      return { isAllowed: false, message: toModelError(error, toolName).message };
    }
  };

  const tell =
    (outcome: 'succeeded' | 'failed'): Hook =>
    async ({ tool_use_id }, toolUseId) => {
      const callId = toolUseId ?? tool_use_id;
      if (callId !== undefined) running.end(callId, outcome);
      return {};
    };

  return {
    async canUseTool(toolName, input, context) {
      if (!isProtected(toolName, input)) return otherwise(toolName, input, context);
      const { signal, toolUseID } = context;
      const decided = await decide(toolName, input, toolUseID, signal);
      return decided.isAllowed
        ? { behavior: 'allow', updatedInput: decided.params }
        : { behavior: 'deny', message: decided.message };
    },
    async preToolUse({ tool_name: toolName = '', tool_input, tool_use_id }, toolUseId, { signal }) {
      const input = (tool_input ?? {}) as Record<string, unknown>;
      if (!isProtected(toolName, input)) return {};
      const decided = await decide(toolName, input, toolUseId ?? tool_use_id, signal);
      return {
        hookSpecificOutput: {
          hookEventName: 'PreToolUse',
          ...(decided.isAllowed
            ? { permissionDecision: 'allow', updatedInput: decided.params }
            : { permissionDecision: 'deny', permissionDecisionReason: decided.message }),
        },
      };
    },
    hooks: {
      PostToolUse: [{ hooks: [tell('succeeded')] }],
      PostToolUseFailure: [{ hooks: [tell('failed')] }],
    },
  };
}

const denyOthers: CanUseTool = async (toolName) => ({
  behavior: 'deny',
  message: `${toolName} was not run: nobody is available to decide on it.`,
});

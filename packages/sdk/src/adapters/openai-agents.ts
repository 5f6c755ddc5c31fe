/**
 * Puts the gate in front of function tools of the OpenAI Agents SDK. A call that is not approved yet becomes an
 * interruption.
 *
 * @module
 */
import { parseStrictJson } from '@permitry/protocol';
import { DeniedError, type JsonObject, type Permitry, PermitryError } from '../index.ts';
import { NotRunError } from './not-run-error.ts';
import { toModelError } from './to-model-error.ts';
import { type ToolCall, ToolGate } from './tool-gate.ts';
import { assertScoped, type Scope, type ToolGateOptions } from './tool-gate-options.ts';

export { NotRunError } from './not-run-error.ts';
export type { IntentDetails, Scope, ToolGateOptions } from './tool-gate-options.ts';

/** How an agent's tools are protected. */
export interface AgentGateOptions extends ToolGateOptions {
  /** The conversation, or a function that returns it. Interruptions are found again by the names of their calls. */
  scope: Scope;
}

/** The input that a tool runs with, as its `parameters` parse it: typed for Zod and other Standard Schemas. */
export type ToolInput<P> = P extends {
  readonly '~standard': { readonly types?: { readonly output: infer Output } | undefined };
}
  ? Output
  : JsonObject;

/** The options of the SDK's `tool()` that are used. */
export interface FunctionTool<P, C, D, R> {
  name: string;
  parameters: P;
  execute: (input: ToolInput<P>, context?: C, details?: D) => R | Promise<R>;
}

/**
 * The protected options, for the SDK's `tool()`. A call that did not run returns the reason, in a sentence for the
 * model.
 */
export interface ProtectedTool<P, C, D, R> {
  name: string;
  parameters: P;
  needsApproval: (context: unknown, input: unknown, callId?: string) => Promise<boolean>;
  execute: (input: ToolInput<P>, context?: C, details?: D) => Promise<R | string>;
}

/** The members of an interruption that are used. */
export interface Interruption {
  readonly name?: string | undefined;
  readonly rawItem: object;
}

/** The members of a run's result that are used. */
export interface InterruptedRun<I extends Interruption> {
  readonly interruptions: readonly I[];
  readonly state: {
    approve(interruption: I): void;
    reject(interruption: I, options?: { message?: string }): void;
  };
}

/** Protects tools, and answers the interruptions of their calls. */
export interface AgentGate {
  /**
   * Puts a tool behind the gate. Pass the result to the SDK's `tool()`. Each call is sent to the gate with the
   * parameters that the tool will run with. Its permit is used before `execute` runs, whatever the run's state claims.
   */
  protect<P, C, D, R, O extends { name: string; description: string }>(
    options: O & FunctionTool<P, C, D, R>,
  ): Omit<O, 'execute' | 'needsApproval' | 'parameters'> & ProtectedTool<P, C, D, R>;
  /**
   * Approves and rejects the interruptions of protected tools in the run's state, each as the gate decided. Waits for
   * calls that are still pending. The model reads the reason of a denial. Interruptions of other tools stay unchanged.
   *
   * @returns How many were answered.
   * @throws ConnectionError and PermitryError of the gate, WaitTimeoutError after `waitMs`: unanswered interruptions
   * remain
   */
  answerInterruptions<I extends Interruption>(
    run: InterruptedRun<I>,
    options?: { signal?: AbortSignal },
  ): Promise<number>;
}

/**
 * Creates a gate for the function tools of one program.
 *
 * @example
 * const gate = createAgentGate(permitry, { scope: conversationId });
 * const refund = tool(gate.protect({ name: 'refund', description, parameters: z.object({ … }), execute }));
 * let result = await run(agent, input);
 * while (result.interruptions.length > 0) {
 *   await gate.answerInterruptions(result);
 *   result = await run(agent, result.state);
 * }
 * @throws TypeError without `scope`
 */
export function createAgentGate(client: Permitry, options: AgentGateOptions): AgentGate {
  assertScoped(options.scope);
  const gate = new ToolGate(client, options);
  const parametersOf = new Map<string, unknown>();
  return {
    protect(tool) {
      const { name: toolName } = tool;
      parametersOf.set(toolName, tool.parameters);
      return {
        ...tool,
        needsApproval: (_context, input, callId) => isNotApproved(gate, { toolName, input, callId }),
        execute: async (input, context, details) => {
          const { toolCall, signal } = (details ?? {}) as CallDetails;
          try {
            const call = await gate.prepare({ toolName, input, callId: toolCall?.callId });
            const run = (params: JsonObject) => tool.execute(params as typeof input, context, details);
            return await gate.run(call, run, { signal, mayWait: false });
          } catch (error) {
            // The SDK hides error messages from the model, and a tool's result may have a form that a sentence does not
            // fit.
            const isToSay = error instanceof DeniedError || error instanceof NotRunError;
            if (!isToSay || 'outputSchema' in tool) throw error;
            return error.message;
          }
        },
      };
    },
    async answerInterruptions({ interruptions, state }, { signal } = {}) {
      let answered = 0;
      for (const interruption of interruptions) {
        const toolName = interruption.name ?? '';
        if (!parametersOf.has(toolName)) continue;
        const { callId, arguments: text = '{}' } = interruption.rawItem as RawCall;
        const denial = await denialOf(gate, signal, async () => ({
          toolName,
          callId,
          input: await readInput(toolName, parametersOf.get(toolName), text),
        }));
        if (denial === null) state.approve(interruption);
        else state.reject(interruption, { message: denial.message });
        answered += 1;
      }
      return answered;
    },
  };
}

/** The members of a call's details that are used. */
interface CallDetails {
  toolCall?: { callId?: string };
  signal?: AbortSignal;
}

interface RawCall {
  callId?: string;
  arguments?: string;
}

/** True also if the gate cannot be reached: the call then waits, in a state that can be stored. */
async function isNotApproved(gate: ToolGate, call: ToolCall): Promise<boolean> {
  try {
    return (await gate.poll(await gate.prepare(call))).status !== 'approved';
  } catch {
    return true;
  }
}

async function denialOf(
  gate: ToolGate,
  signal: AbortSignal | undefined,
  read: () => Promise<ToolCall>,
): Promise<Error | null> {
  try {
    await gate.waitForApproval(await gate.prepare(await read()), { signal });
    return null;
  } catch (error) {
    if (error instanceof DeniedError || error instanceof NotRunError) return error;
    // An earlier call has the same name and other parameters, so no decision of the gate lets this call run.
    if (error instanceof PermitryError && error.code === 'idempotency_conflict')
      return toModelError(error, 'this call');
    throw error;
  }
}

interface StandardSchema {
  '~standard'?: {
    validate(value: unknown): ValidationResult | Promise<ValidationResult>;
  };
}

type ValidationResult = { value: unknown; issues?: undefined } | { issues: readonly unknown[] };

/** The state contains the model's own text. The tool runs with the result of its schema, including defaults. */
async function readInput(toolName: string, parameters: unknown, text: string): Promise<unknown> {
  const value = readStrictly(toolName, text);
  const schema = (parameters as StandardSchema | null)?.['~standard'];
  if (schema === undefined) return value;
  const result = await schema.validate(value);
  return result.issues === undefined ? result.value : value;
}

/** The call runs only if any two readers of the model's text see the same call. */
function readStrictly(toolName: string, text: string): unknown {
  try {
    return parseStrictJson(new TextEncoder().encode(text));
  } catch (error) {
    const why = error instanceof Error ? error.message : 'it is not JSON.';
    throw new NotRunError(toolName, `nobody can approve this call: ${why}`, { cause: error });
  }
}

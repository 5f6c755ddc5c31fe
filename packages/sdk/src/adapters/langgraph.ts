/**
 * Puts the gate in front of tools and nodes of LangGraph. A call that needs a person's decision interrupts the graph.
 *
 * @module
 */
import { DeniedError, type Intent, type JsonObject, type Permitry } from '../index.ts';
import { NotRunError } from './not-run-error.ts';
import { ToolGate } from './tool-gate.ts';
import type { ToolGateOptions } from './tool-gate-options.ts';

export { NotRunError } from './not-run-error.ts';
export type { IntentDetails, Scope, ToolGateOptions } from './tool-gate-options.ts';

/** How the tools of a graph are protected. */
export interface GraphGateOptions extends ToolGateOptions {
  /**
   * LangGraph's `interrupt`. With it, a call that needs a person's decision ends the run, and you resume the graph
   * after the decision. This requires a checkpointer. Without `interrupt`, the call waits for the decision.
   */
  interrupt?: ((value: PendingApproval) => unknown) | undefined;
}

/** The value with which the graph is interrupted. */
export interface PendingApproval {
  type: 'permitry.approval';
  intent_id: string;
  action: string;
  params: JsonObject;
  /** Where a person reviews and decides the call. */
  approval_url: string;
  /** ISO 8601, UTC. */
  expires_at: string;
}

/** The members of the second argument of a tool, or of a node, that are used. */
export interface ToolConfig {
  toolCall?: { id?: string | undefined } | undefined;
  toolCallId?: string | undefined;
  configurable?: { thread_id?: unknown } | undefined;
  signal?: AbortSignal | undefined;
}

/** The members of an entry of `__interrupt__` that are used. */
export interface GraphInterrupt {
  id?: string | undefined;
  value?: unknown;
}

/** Protects tools, and waits for the decisions that interrupted the graph. */
export interface GraphGate {
  /**
   * Puts a tool's function behind the gate. Pass the result to `tool()`. Its permit is used before it runs, whatever
   * the graph was resumed with. A denied call returns the denial and its reason, for the model.
   */
  protect<P, R, C extends ToolConfig>(
    toolName: string,
    run: (params: P, config: C) => R | Promise<R>,
  ): (params: P, config: C) => Promise<R | string>;
  /**
   * Waits until the calls that interrupted the graph are decided. Returns the value to resume it with:
   * `new Command({ resume: await gate.decisions(state[INTERRUPT]) })`. Ignores interrupts that are not ours.
   */
  decisions(
    interrupts: readonly GraphInterrupt[] | undefined,
    options?: { signal?: AbortSignal; waitMs?: number },
  ): Promise<Record<string, Decision>>;
}

/** Resumes the graph. The tool asks the gate itself, and does not trust this value. */
export interface Decision {
  intent_id: string;
  status: Intent['status'];
}

/**
 * Creates a gate for a graph's tools.
 *
 * @example
 * const gate = createGraphGate(permitry, { interrupt });
 * const refund = tool(gate.protect('refund', async ({ order, amount }: Refund) => …), { name: 'refund', schema });
 * let state = await graph.invoke(input, config);
 * while (isInterrupted(state)) {
 *   state = await graph.invoke(new Command({ resume: await gate.decisions(state[INTERRUPT]) }), config);
 * }
 */
export function createGraphGate(client: Permitry, options: GraphGateOptions = {}): GraphGate {
  const { interrupt, ...gateOptions } = options;
  const gate = new ToolGate(client, gateOptions);
  return {
    protect: (toolName, run) => async (params, config) => {
      const callId = callIdOf(config);
      const { signal } = config;
      try {
        const call = await gate.prepare({ toolName, input: params, callId, conversation: 'threads' });
        if (interrupt !== undefined) {
          if (callId === undefined)
            throw new NotRunError(
              call.action,
              'a call without an id, or outside of a thread, cannot be resumed after an interrupt.',
            );
          // Returns the intent as it was declared, however often the node runs. LangGraph counts interrupts, and they
          // must be the same each time.
          const declared = await gate.announce(call, { signal });
          // `interrupt` ends this run of the node by throwing. Its error passes through here.
          if (declared.status === 'pending') interrupt(toPendingApproval(declared));
        }
        return await gate.run(call, (approved) => run(approved as typeof params, config), { signal });
      } catch (error) {
        if (error instanceof DeniedError || error instanceof NotRunError) return error.message;
        throw error;
      }
    },
    async decisions(interrupts = [], { signal, waitMs } = {}) {
      const decided = await Promise.all(
        interrupts.flatMap(({ id, value }) =>
          id !== undefined && isPendingApproval(value)
            ? [
                client.intents
                  .wait(value.intent_id, { signal, waitMs: waitMs ?? options.waitMs })
                  .then(({ id: intent_id, status }): [string, Decision] => [id, { intent_id, status }]),
              ]
            : [],
        ),
      );
      return Object.fromEntries(decided);
    },
  };
}

/** A call's ID belongs to one thread. Without a thread, nobody can resume the call. */
function callIdOf({ toolCall, toolCallId, configurable }: ToolConfig): string | undefined {
  const id = toolCall?.id ?? toolCallId;
  const thread = configurable?.thread_id;
  return id === undefined || id === '' || thread === undefined ? undefined : `${String(thread)} ${id}`;
}

function toPendingApproval({ id, action, params, approval_url, expires_at }: Intent): PendingApproval {
  return { type: 'permitry.approval', intent_id: id, action, params, approval_url, expires_at };
}

function isPendingApproval(value: unknown): value is PendingApproval {
  return (value as PendingApproval | undefined)?.type === 'permitry.approval';
}

import type { Intent, IntentDetails, JsonObject } from '../index.ts';

export type { IntentDetails };

/** How tool calls are sent to the gate. */
export interface ToolGateOptions {
  /** Name of the action. Default: the tool's name. */
  action?: string | ((toolName: string, params: JsonObject) => string) | undefined;
  /**
   * Further details of the intent: approvers, risk tier, metadata for the approvers. They must be the same for the same
   * call, however often it is sent. The default of `source_type` is `ai_agent`.
   */
  intent?: IntentDetails | ((toolName: string, params: JsonObject) => IntentDetails) | undefined;
  /**
   * Milliseconds that a call waits for a decision. After that it is withdrawn and not run. Default: until the intent
   * expires.
   */
  waitMs?: number | undefined;
  /**
   * Called once for each intent that needs a person's decision, e.g. to show its `approval_url`. The call does not wait
   * for it.
   */
  onPending?: ((intent: Intent) => void) | undefined;
  /** Called when an outcome could not be reported. The tool has run nevertheless. */
  onUnreported?: ((error: unknown) => void) | undefined;
  /**
   * The conversation, or a function that returns it. Models name their calls, and some use the same names in each
   * conversation (`call_1`). Within 24 hours the same name in the same scope is the same call, and one approval covers
   * it once. Without a scope, no call can be resumed, and each one is a new request.
   */
  scope?: Scope | undefined;
}

/** A function, if one gate serves many conversations, e.g. `() => store.getStore().conversationId`. */
export type Scope = string | (() => string);

/**
 * Requires a scope where calls are resumed by their names, so that two conversations never share an approval.
 *
 * @throws TypeError
 */
export function assertScoped(scope: Scope | undefined): void {
  if (typeof scope === 'function' || (typeof scope === 'string' && scope !== '')) return;
  throw new TypeError(
    'scope must name the conversation: calls are resumed by their names, which other conversations may repeat',
  );
}

import type { Intent, IntentDetails, JsonObject } from '../index.ts';

export type { IntentDetails };

/** How calls of tools are put to the gate. */
export interface ToolGateOptions {
  /** Name of the action. Left out: the tool's name. */
  action?: string | ((toolName: string, params: JsonObject) => string) | undefined;
  /**
   * What else the intent says: approvers, risk tier, metadata for the approvers. The same for the same call, whenever it is
   * asked. `source_type` is `ai_agent` unless it says otherwise.
   */
  intent?: IntentDetails | ((toolName: string, params: JsonObject) => IntentDetails) | undefined;
  /**
   * Milliseconds a call is held for a decision; past them it is withdrawn and not run. Left out: until the intent
   * expires.
   */
  waitMs?: number | undefined;
  /** Told once of each intent that a person has to decide, e.g. to show its `approval_url`. It is not waited for. */
  onPending?: ((intent: Intent) => void) | undefined;
  /** Told when an outcome could not be reported. The tool has run all the same. */
  onUnreported?: ((error: unknown) => void) | undefined;
  /**
   * The conversation, or what tells it when it is asked. Models name their calls, and some give the same names in each
   * conversation (`call_1`): within 24 hours the same name in the same scope is the same call, which an approval is for
   * once. Left out: nobody comes back to a call, and each is a question of its own.
   */
  scope?: Scope | undefined;
}

/** A function where one gate serves many conversations, e.g. `() => store.getStore().conversationId`. */
export type Scope = string | (() => string);

/**
 * Where calls are come back to by their names, a scope must be given: two conversations never share an approval.
 *
 * @throws TypeError
 */
export function assertScoped(scope: Scope | undefined): void {
  if (typeof scope === 'function' || (typeof scope === 'string' && scope !== '')) return;
  throw new TypeError(
    'scope must name the conversation: calls are found again by their names, and those repeat',
  );
}

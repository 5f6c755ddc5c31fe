/**
 * Sends tool calls to the gate. Adapters choose the time of each step, and know nothing about the gate.
 *
 * If the framework names a call, its idempotency key is made of that name and its conversation. A later attempt, in
 * this process or another, finds the same intent. The gate refuses the same name with other parameters.
 * `Permitry.protect` runs every call: it uses the permit first, so a call that arrives twice runs once.
 */
import { canonicalJson } from '@permitry/protocol';
import { copyJson } from '../calls/copy-json.ts';
import { newIdempotencyKey } from '../calls/idempotency-key.ts';
import { DeniedError, type Intent, type JsonObject, type Permitry } from '../index.ts';
import { declare, giveUp } from '../protect/steps.ts';
import { keyOfCall } from './key-of-call.ts';
import { NotRunError } from './not-run-error.ts';
import { RecentSet } from './recent-set.ts';
import { toModelError } from './to-model-error.ts';
import type { IntentDetails, ToolGateOptions } from './tool-gate-options.ts';

/** One tool call that a framework is about to make. */
export interface ToolCall {
  toolName: string;
  /** The input that the tool will run with. */
  input: unknown;
  /** The framework's name of this call. Without one, nobody can resume it. */
  callId?: string | undefined;
  /**
   * The conversation in which that name means only this call, if the options have no scope. With neither a conversation
   * nor a scope, the name means nothing.
   */
  conversation?: string | undefined;
}

/** A call in the gate's terms. */
export interface PreparedCall {
  action: string;
  /** A copy that no other code holds. */
  params: JsonObject;
  details: IntentDetails;
  idempotencyKey: string;
}

interface CallContext {
  signal?: AbortSignal | undefined;
}

export class ToolGate {
  readonly #client: Permitry;
  readonly #options: ToolGateOptions;
  /** Intents that `onPending` was called for. */
  readonly #notified = new RecentSet();

  constructor(client: Permitry, options: ToolGateOptions = {}) {
    this.#client = client;
    this.#options = options;
  }

  /** @throws NotRunError for parameters that JSON would change or lose */
  async prepare({ toolName, input, callId, conversation }: ToolCall): Promise<PreparedCall> {
    const { action, intent } = this.#options;
    const scope = this.#scope() ?? conversation;
    const params = toParams(toolName, input);
    return {
      action: typeof action === 'function' ? action(toolName, params) : (action ?? toolName),
      params,
      details: {
        source_type: 'ai_agent',
        ...(typeof intent === 'function' ? intent(toolName, params) : intent),
      },
      idempotencyKey:
        callId === undefined || scope === undefined
          ? newIdempotencyKey()
          : await keyOfCall(scope, toolName, callId),
    };
  }

  /**
   * Sends the call to the gate, or finds the intent that was created under its name. Returns the intent as it was at
   * its creation, so the answer is the same however often it is requested.
   *
   * @throws DeniedError if policy denies
   */
  declare(call: PreparedCall, { signal }: CallContext = {}): Promise<Intent> {
    const { action, params, details, idempotencyKey } = call;
    return declare(this.#client, { ...details, action, params }, { signal, idempotencyKey });
  }

  /**
   * As `declare`, and calls `onPending` for an intent that is still pending.
   *
   * @throws DeniedError, NotRunError; the signal's reason
   */
  async announce(call: PreparedCall, context: CallContext = {}): Promise<Intent> {
    try {
      const declared = await this.declare(call, context);
      if (declared.status === 'pending') await this.#readAndNotify(declared, context);
      return declared;
    } catch (error) {
      throw context.signal?.aborted ? error : toModelError(error, call.action);
    }
  }

  /** The current state of the call: pending or approved. @throws DeniedError */
  async poll(call: PreparedCall, context: CallContext = {}): Promise<Intent> {
    const declared = await this.declare(call, context);
    if (declared.status !== 'pending') return declared;
    return assertNotDenied(await this.#readAndNotify(declared, context));
  }

  /** Resolves when the call is approved. @throws DeniedError, WaitTimeoutError (the intent was then withdrawn) */
  async waitForApproval(call: PreparedCall, context: CallContext = {}): Promise<Intent> {
    const intent = await this.poll(call, context);
    if (intent.status !== 'pending') return intent;
    const { signal } = context;
    try {
      return assertNotDenied(
        await this.#client.intents.wait(intent.id, { signal, waitMs: this.#options.waitMs }),
      );
    } catch (error) {
      if (!(error instanceof DeniedError)) await giveUp(this.#client, intent.id);
      throw error;
    }
  }

  /**
   * Waits for the decision (with `mayWait: false`, the decision must exist already) and uses the permit. Then runs the
   * tool once with the approved parameters, and reports the outcome.
   *
   * @throws DeniedError, NotRunError (its messages are fit for a model) when it did not run; what the tool throws
   */
  async run<R>(
    call: PreparedCall,
    execute: (params: JsonObject) => R | Promise<R>,
    { signal, mayWait = true }: CallContext & { mayWait?: boolean } = {},
  ): Promise<R> {
    const { action, params, details, idempotencyKey } = call;
    let hasBegun = false;
    const run = this.#client.protect<JsonObject, R>(
      action,
      (approved) => {
        hasBegun = true;
        return execute(approved);
      },
      {
        intent: details,
        onPending: (intent) => this.#notify(intent),
        onUnreported: this.#options.onUnreported,
        ...(mayWait ? { waitMs: this.#options.waitMs } : { waitMs: 0, onGivingUp: 'leave' as const }),
      },
    );
    try {
      return await run(params, { signal, idempotencyKey });
    } catch (error) {
      throw hasBegun || signal?.aborted ? error : toModelError(error, action);
    }
  }

  #scope(): string | undefined {
    const { scope } = this.#options;
    return typeof scope === 'function' ? scope() : scope;
  }

  /** An intent that was created long ago may have been decided since. */
  async #readAndNotify({ id }: Intent, { signal }: CallContext): Promise<Intent> {
    const intent = await this.#client.intents.get(id, { signal });
    if (intent.status === 'pending') this.#notify(intent);
    return intent;
  }

  #notify(intent: Intent): void {
    if (!this.#notified.add(intent.id)) return;
    try {
      this.#options.onPending?.(intent);
    } catch {
      // An error that the callback throws does not change the call.
    }
  }
}

/** In the order of RFC 8785: the same parameters are the same bytes, wherever a framework stored them in between. */
function toParams(toolName: string, input: unknown): JsonObject {
  try {
    return JSON.parse(canonicalJson(copyJson((input ?? {}) as JsonObject))) as JsonObject;
  } catch (error) {
    const why = error instanceof Error ? error.message : 'they are not JSON';
    throw new NotRunError(toolName, `nobody can approve these parameters: ${why}.`, { cause: error });
  }
}

function assertNotDenied(intent: Intent): Intent {
  if (intent.status === 'denied' || intent.status === 'expired') throw new DeniedError(intent);
  return intent;
}

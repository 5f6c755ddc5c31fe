import { hashJson, type JsonObject } from '@permitry/protocol';
import { type Intent, type Permitry, WaitTimeoutError } from '@permitry/sdk';
import { reportOutcome, usePermit } from '@permitry/sdk/steps';
import { isObject } from '../is-object.ts';

/** A call of a tool as the client made it. */
export interface ToolCall {
  tool: string;
  arguments: JsonObject;
  /**
   * The parameters that go to the server: exactly what was approved and nothing more, whichever request asks for the
   * result.
   */
  params: JsonObject;
}

/** @throws Error for a call that the gate cannot decide unchanged, although a careless server might run it */
export function readToolCall({ name, arguments: given, _meta: meta }: JsonObject): ToolCall {
  if (typeof name !== 'string') throw new Error('the name of a tool must be a string');
  if (given !== undefined && !isObject(given)) throw new Error('the arguments of a call must be an object');
  const params = {
    name,
    ...(given === undefined ? {} : { arguments: given }),
    ...(isObject(meta) ? { _meta: meta } : {}),
  };
  return { tool: name, arguments: given ?? {}, params };
}

/** A hash that is equal for two calls of one tool with the same arguments. */
export function hashOf({ tool, arguments: given }: Pick<ToolCall, 'tool' | 'arguments'>): string {
  return hashJson({ tool, arguments: given });
}

/**
 * One call, from its request to the gate until it has run once. It takes the steps of `Permitry.protect` one by one,
 * because the client must ask again before an approved call runs. The call may also continue in a further request, or
 * end with an unknown outcome.
 */
export class GuardedCall {
  readonly call: ToolCall;
  readonly hash: string;
  readonly #gate: Permitry;
  #intent: Intent;
  #run: Promise<JsonObject> | undefined;

  constructor(gate: Permitry, call: ToolCall, intent: Intent) {
    this.#gate = gate;
    this.call = call;
    this.hash = hashOf(call);
    this.#intent = intent;
  }

  get intent(): Intent {
    return this.#intent;
  }

  /** Waits for the decision, at most this long. @throws the signal's reason, PermitryError, ConnectionError */
  async wait(waitMs: number, signal: AbortSignal): Promise<void> {
    if (this.#intent.status !== 'pending') return;
    try {
      this.#intent = await this.#gate.intents.wait(this.#intent.id, { waitMs, signal });
    } catch (error) {
      if (!(error instanceof WaitTimeoutError)) throw error;
    }
  }

  async withdraw(): Promise<void> {
    this.#intent = await this.#gate.intents.withdraw(this.#intent.id);
  }

  /** Uses the permit and runs the call once, however often a client asks for the result. */
  runOnce(run: () => Promise<JsonObject>): Promise<JsonObject> {
    this.#run ??= this.#use().then(run);
    return this.#run;
  }

  /** After a failure, the client may try again. If the first use succeeded after all, the gate refuses the second. */
  async #use(): Promise<void> {
    try {
      await usePermit(this.#gate, this.#intent, this.call.arguments);
    } catch (error) {
      this.#run = undefined;
      throw error;
    }
  }

  /** Reports the outcome. Never throws, because the call has already run. */
  async report(outcome: 'succeeded' | 'failed' | 'unknown'): Promise<void> {
    await reportOutcome(this.#gate, this.#intent.id, { outcome }).catch(() => {});
  }
}

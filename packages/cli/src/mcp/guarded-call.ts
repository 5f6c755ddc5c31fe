import { hashJson, type JsonObject } from '@permitry/protocol';
import { type Intent, type Permitry, WaitTimeoutError } from '@permitry/sdk';
import { reportOutcome, usePermit } from '@permitry/sdk/steps';
import { isObject } from '../is-object.ts';

/** A call of a tool as the client made it. */
export interface ToolCall {
  tool: string;
  arguments: JsonObject;
  /**
   * The parameters that go to the server, whichever request asks for the result: exactly what was approved, and nothing
   * more.
   */
  params: JsonObject;
}

/** @throws Error for calls that cannot be put to the gate as they are; a careless server might still run them */
export function readToolCall({ name, arguments: given, _meta: meta }: JsonObject): ToolCall {
  if (typeof name !== 'string') throw new Error('the name of a tool is a text');
  if (given !== undefined && !isObject(given)) throw new Error('the arguments of a call are an object');
  const params = {
    name,
    ...(given === undefined ? {} : { arguments: given }),
    ...(isObject(meta) ? { _meta: meta } : {}),
  };
  return { tool: name, arguments: given ?? {}, params };
}

/** Two calls of one tool with the same arguments have the same hash. */
export function hashOf({ tool, arguments: given }: Pick<ToolCall, 'tool' | 'arguments'>): string {
  return hashJson({ tool, arguments: given });
}

/**
 * One call, from its request to the gate until it has run once. It does not use `Permitry.protect`, which runs the call
 * as soon as people approve. Here the client must ask again first. The call may also continue in a further request, or
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

  /** The decision, or the state when the wait ends. @throws the signal's reason, PermitryError, ConnectionError */
  async decided(waitMs: number, signal: AbortSignal): Promise<Intent> {
    if (this.#intent.status !== 'pending') return this.#intent;
    try {
      this.#intent = await this.#gate.intents.wait(this.#intent.id, { waitMs, signal });
    } catch (error) {
      if (!(error instanceof WaitTimeoutError)) throw error;
    }
    return this.#intent;
  }

  async withdraw(): Promise<Intent> {
    this.#intent = await this.#gate.intents.withdraw(this.#intent.id);
    return this.#intent;
  }

  /** Whether the run has started. */
  get isRun(): boolean {
    return this.#run !== undefined;
  }

  /** Uses the approval and runs the call only once, however often it is requested. */
  runOnce(run: () => Promise<JsonObject>): Promise<JsonObject> {
    this.#run ??= this.#use().then(run);
    return this.#run;
  }

  /** A use that failed may be tried again. If the first use succeeded after all, the gate refuses the second. */
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

import { hashJson, type JsonObject } from '@permitry/protocol';
import { type Intent, type Permitry, repeatUnderKey, WaitTimeoutError } from '@permitry/sdk';
import { isObject } from '../is-object.ts';
import { usePermit } from '../permits/use-permit.ts';

/** A call of a tool as the client made it. */
export interface ToolCall {
  tool: string;
  arguments: JsonObject;
  /** As they go to the server, whoever asks for the result in the end: what was asked about, and nothing beside it. */
  params: JsonObject;
}

/** @throws Error for what the gate cannot be asked about as it is; a careless server might carry it out all the same */
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

/** Two calls of one tool with the same arguments have the same. */
export function hashOf({ tool, arguments: given }: Pick<ToolCall, 'tool' | 'arguments'>): string {
  return hashJson({ tool, arguments: given });
}

/**
 * One call, from the question to the gate until it was run once. Not by `Permitry.protect`: that runs as soon as people
 * approve, while here a client must ask again first, and the call may go on in a further request or end unknown.
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

  /** The decision as it stands after at most so long. @throws the signal's reason, PermitryError, ConnectionError */
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

  /** Whether it was begun. */
  get isRun(): boolean {
    return this.#run !== undefined;
  }

  /** Uses the approval and runs the call: once, whoever asks and however often. */
  runOnce(run: () => Promise<JsonObject>): Promise<JsonObject> {
    this.#run ??= this.#use().then(run);
    return this.#run;
  }

  /** What could not be used may be tried again: a use that was made after all is refused the second time. */
  async #use(): Promise<void> {
    try {
      await usePermit(this.#gate, this.#intent, this.call.arguments);
    } catch (error) {
      this.#run = undefined;
      throw error;
    }
  }

  /** What came of it. Never throws: what was run was run. */
  async report(outcome: 'succeeded' | 'failed' | 'unknown'): Promise<void> {
    await repeatUnderKey((idempotencyKey) =>
      this.#gate.intents.reportOutcome(this.#intent.id, { outcome }, { idempotencyKey }),
    ).catch(() => {});
  }
}

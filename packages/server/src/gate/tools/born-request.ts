import type { JsonObject, Outcome } from '@permitry/protocol';
import { type Caller, toActor } from '../access/caller.ts';
import type { Intent } from '../intents/intent.ts';
import type { Attachment } from '../intents/submit.ts';
import { StaleReadError } from '../project-settings/stale-read.ts';
import type { ConnectorClaim, ConnectorRequest, ConnectorSettlement } from './connector-request.ts';
import type { OwnWork, Tool } from './connectors.ts';
import { keepRepeatable, type RepeatKey } from './repeat-key.ts';
import { asSettled, OUTCOME_OF, recordRunOutcome, toSettlement } from './run-tool.ts';
import type { ToolDeps, ToolWrites } from './tool-deps.ts';
import { claimOf, newRequest } from './use-approval.ts';

export interface BornCall {
  tool: Tool;
  arguments: JsonObject;
  key: RepeatKey | undefined;
}

/**
 * A connector request that is created together with its intent. Like the intent, it is refused, pending or claimed from
 * the start. If policy allows a call of the gate's own tool, the request is also finished in the same transaction.
 */
export class BornRequest {
  readonly #gate: ToolDeps;
  readonly #caller: Caller;
  readonly #call: BornCall;
  readonly #id: string;
  readonly #claim: ConnectorClaim;
  #done: { work: OwnWork; settlement: ConnectorSettlement } | undefined;

  constructor(gate: ToolDeps, caller: Caller, call: BornCall) {
    this.#gate = gate;
    this.#caller = caller;
    this.#call = call;
    this.#id = gate.ids.next('crq');
    this.#claim = claimOf(gate, caller);
  }

  /** The request for an intent that policy has decided or sent for review. */
  of(intent: Intent): ConnectorRequest {
    const request = newRequest(this.#gate, this.#caller, intent, this.#call.tool, this.#id);
    if (intent.status === 'denied') return { ...request, state: 'refused' };
    if (intent.consumedBy !== this.#id) return request;
    const claimed = { ...request, ...this.#claim };
    return this.#done ? asSettled(claimed, this.#done.settlement) : { ...claimed, state: 'executing' };
  }

  /** The records that `makeIntent` writes with the intent. */
  get attachment(): Attachment<ToolWrites> {
    return {
      usedBy: this.#id,
      outcomeOf: (intent) => this.#do(intent),
      settle: async (tx, intent) => {
        if (!(await tx.insertConnectorRequest(this.of(intent)))) throw new StaleReadError();
        await this.#done?.work.write(tx);
        await keepRepeatable(this.#gate, tx, this.#call.key, this.#id);
      },
      recordOutcome: async (tx, intent) => {
        if (!this.#done) return;
        const actor = toActor(this.#caller);
        await recordRunOutcome(this.#gate, tx, this.of(intent), this.#done.settlement, actor);
      },
    };
  }

  /** Works out, once and before anything is written, what the gate's own tool writes. Null for any other tool. */
  #do({ id: intentId, projectId, createdAt: at }: Intent): Outcome | null {
    const { tool, arguments: given } = this.#call;
    const call = { projectId, intentId, requestId: this.#id, tool, arguments: given };
    const work = this.#gate.tools.connectors.findOwnWork?.(call, this.#gate.clock.now());
    if (!work) return null;
    const settlement = { ...toSettlement(this.#gate, work.result), at };
    this.#done = { work, settlement };
    return OUTCOME_OF[settlement.state];
  }
}

/**
 * Answers tool calls. Sends each call to the gate, leads the user to the approval page and waits for the decision. Then
 * the server runs an approved call once.
 */
import type { JSONRPCRequest } from '@modelcontextprotocol/server';
import type { JsonObject } from '@permitry/protocol';
import { type Permitry, repeatUnderKey } from '@permitry/sdk';
import { isObject } from '../is-object.ts';
import { GuardedCall, hashOf, readToolCall, type ToolCall } from './guarded-call.ts';
import { KnownCalls } from './known-calls.ts';
import { type Answer, canOpenUrls, capabilitiesIn, isModern, objectIn } from './messages.ts';
import { RESULT_TOOL, WITHDRAW_TOOL } from './own-tools.ts';
import {
  deniedResult,
  joined,
  notSentResult,
  pendingResult,
  unknownResult,
  withdrawnResult,
} from './results.ts';

export interface ToolCallsOptions {
  gate: Permitry;
  /** The name that approvers read. */
  name: string;
  /** Precedes the tool's name in the action. */
  actionPrefix: string;
}

/** The connections to the client and to the server. */
export interface Lines {
  /** The capabilities that a client of 2025 announced at the start. */
  capabilities(): JsonObject;
  /** Whether the server has ended. */
  hasEnded(): boolean;
  notify(method: string, params: JsonObject): void;
  /** Asks a client of 2025 to open an address for its user. */
  askToOpen(params: JsonObject): void;
  /** Null: the server ended before it answered. */
  atServer(request: JSONRPCRequest): Promise<Answer | null>;
}

/** How long a call waits for people to decide. Clients commonly give up after a minute. */
const LONGEST_WAIT_MS = 45_000;
const NOTIFY_EVERY_MS = 5_000;
/** The prefix of everything that this program generates itself. */
export const OWN_STATE = 'permitry ';

export const SERVER_ENDED = 'the server of this tool has ended';

export class ToolCalls {
  readonly #lines: Lines;
  readonly #options: ToolCallsOptions;
  readonly #calls = new KnownCalls();

  constructor(lines: Lines, options: ToolCallsOptions) {
    this.#lines = lines;
    this.#options = options;
  }

  /** The server is gone: the calls it was running may or may not have happened. */
  async giveUpInterrupted(): Promise<void> {
    await Promise.all(this.#calls.interrupted.map((guarded) => guarded.report('unknown')));
  }

  /** Returns undefined for a call that the client cancelled: it expects no answer. */
  async answer(request: JSONRPCRequest, cancelled: AbortSignal): Promise<JsonObject | undefined> {
    const params = isObject(request.params) ? request.params : {};
    const given = objectIn(params, 'arguments');
    if (params.name === RESULT_TOOL) {
      const known = this.#calls.get(given.intent_id);
      return this.#settle(request, known, { waitMs: LONGEST_WAIT_MS, cancelled });
    }
    if (params.name === WITHDRAW_TOOL) return this.#withdraw(this.#calls.get(given.intent_id));
    const { requestState, inputResponses } = params;
    const call = readToolCall(params);
    const hash = hashOf(call);

    if (typeof requestState === 'string' && requestState.startsWith(OWN_STATE)) {
      const known = this.#calls.get(requestState.slice(OWN_STATE.length));
      if (known.hash !== hash) throw new Error('the requestState belongs to another call');
      const opened = objectIn(inputResponses, 'approval').action === 'accept';
      return this.#settle(request, known, { waitMs: opened ? LONGEST_WAIT_MS : 0, cancelled });
    }
    const interrupted = this.#calls.takeInterrupted(hash, requestState);
    if (interrupted) {
      const answers = inputResponses === undefined ? {} : { inputResponses };
      const state = requestState === undefined ? {} : { requestState };
      return this.#run(request, interrupted, { ...call.params, ...answers, ...state });
    }
    const waiting = this.#calls.findWaiting(hash);
    const guarded = waiting ?? (await this.#ask(call));
    const result = await this.#lead(request, guarded, { wasAsked: waiting !== undefined, cancelled });
    const isShared = guarded.intent.status === 'pending' || guarded.intent.status === 'approved';
    return result && waiting && isShared ? joined(result, waiting.intent.created_at, call.tool) : result;
  }

  /** Sends the request to the gate. @throws PermitryError `policy_violation` and others, ConnectionError */
  async #ask(call: ToolCall): Promise<GuardedCall> {
    const { gate, actionPrefix, name } = this.#options;
    const input = {
      action: `${actionPrefix}${call.tool}`,
      params: call.arguments,
      metadata: { mcp_server: name, mcp_tool: call.tool },
    };
    const intent = await repeatUnderKey((idempotencyKey) => gate.intents.create(input, { idempotencyKey }));
    const guarded = new GuardedCall(gate, call, intent);
    this.#calls.add(guarded);
    return guarded;
  }

  /**
   * Handles a call that needs a person's decision. If the client can open pages, it leads its user to the approval
   * page. Otherwise the call waits for a limited time.
   */
  async #lead(
    request: JSONRPCRequest,
    guarded: GuardedCall,
    { wasAsked, cancelled }: { wasAsked: boolean; cancelled: AbortSignal },
  ): Promise<JsonObject | undefined> {
    const { intent } = guarded;
    if (intent.status !== 'pending' || cancelled.aborted) {
      return this.#settle(request, guarded, { waitMs: 0, cancelled });
    }
    const question = {
      mode: 'url',
      url: intent.approval_url,
      message: `A person has to approve ${guarded.call.tool} before it runs. Opening the page decides nothing.`,
    };
    if (isModern(request) && canOpenUrls(capabilitiesIn(request))) {
      return {
        resultType: 'input_required',
        inputRequests: { approval: { method: 'elicitation/create', params: question } },
        requestState: `${OWN_STATE}${intent.id}`,
      };
    }
    if (!isModern(request) && canOpenUrls(this.#lines.capabilities())) {
      if (!wasAsked) this.#lines.askToOpen({ ...question, elicitationId: intent.id });
      const result = await this.#settle(request, guarded, { waitMs: LONGEST_WAIT_MS, cancelled });
      this.#lines.notify('notifications/elicitation/complete', { elicitationId: intent.id });
      return result;
    }
    const seesProgress = objectIn(request.params, '_meta').progressToken !== undefined;
    return this.#settle(request, guarded, { waitMs: seesProgress ? LONGEST_WAIT_MS : 0, cancelled });
  }

  async #withdraw(guarded: GuardedCall): Promise<JsonObject> {
    await guarded.withdraw();
    this.#calls.endWait(guarded);
    return withdrawnResult(guarded.intent);
  }

  /** Waits for the decision, and acts on it. */
  async #settle(
    request: JSONRPCRequest,
    guarded: GuardedCall,
    { waitMs, cancelled }: { waitMs: number; cancelled: AbortSignal },
  ): Promise<JsonObject | undefined> {
    const stopTelling = this.#tell(request, guarded);
    try {
      if (!cancelled.aborted) await guarded.wait(waitMs, cancelled);
    } catch (error) {
      if (!cancelled.aborted) throw error;
    } finally {
      stopTelling();
    }
    if (this.#lines.hasEnded()) throw new Error(SERVER_ENDED);
    if (cancelled.aborted) return undefined;
    const { intent } = guarded;
    if (intent.status === 'pending') return pendingResult(intent, guarded.call.tool);
    this.#calls.endWait(guarded);
    if (intent.status !== 'approved') return deniedResult(intent);
    return guarded.runOnce(() => this.#run(request, guarded, guarded.call.params));
  }

  /** Runs the call at the server, under the request that asked for it, and reports the outcome to the gate. */
  async #run(request: JSONRPCRequest, guarded: GuardedCall, params: JsonObject): Promise<JsonObject> {
    const meta = { ...objectIn(params, '_meta'), ...objectIn(request.params, '_meta') };
    const own = Object.keys(meta).length > 0 ? { ...params, _meta: meta } : params;
    if (this.#lines.hasEnded()) {
      await guarded.report('failed');
      return notSentResult(guarded.intent.id);
    }
    const answer = await this.#lines.atServer({ ...request, params: own });
    if (answer === null) {
      await guarded.report('unknown');
      return unknownResult(guarded.intent.id);
    }
    const { result, error } = answer;
    if (result?.resultType === 'input_required') {
      this.#calls.interrupt(guarded, result.requestState);
      return result;
    }
    await guarded.report(error !== undefined || result?.isError === true ? 'failed' : 'succeeded');
    if (result) return result;
    return { content: [{ type: 'text', text: String(error?.message ?? 'The tool failed.') }], isError: true };
  }

  #tell(request: JSONRPCRequest, { intent }: GuardedCall): () => void {
    const { progressToken } = objectIn(request.params, '_meta');
    if (progressToken === undefined || intent.status !== 'pending') return () => {};
    let notified = 0;
    const tell = (): void => {
      notified += 1;
      // Stays far below the tool's own progress values, because the tool later reports under the same token.
      const progress = notified / 1_000_000;
      const message = `Waiting for a person’s approval at ${intent.approval_url}`;
      this.#lines.notify('notifications/progress', { progressToken, progress, message });
    };
    tell();
    const timer = setInterval(tell, NOTIFY_EVERY_MS);
    return () => clearInterval(timer);
  }
}

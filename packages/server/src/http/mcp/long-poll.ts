import type { ServerContext } from '@modelcontextprotocol/server';
import { waitUntilResolved } from '../../gate/intents/wait.ts';
import type { CallerLine } from '../../gate/tools/connectors.ts';
import type { GatewayAnswer } from '../../gate/tools/gateway-answer.ts';
import { resumeRequest } from '../../gate/tools/resume-request.ts';
import type { Exchange } from './exchange.ts';

/** The longest time that a call is held. Clients commonly give up after a minute. */
const LONGEST_MS = 55_000;
const NOTIFY_EVERY_MS = 5_000;

/** One held call: how much of its time is left, and what its client is sent meanwhile. */
export class LongPoll {
  readonly #exchange: Exchange;
  readonly #context: ServerContext;
  readonly #line: CallerLine;
  readonly #until = performance.now() + LONGEST_MS;
  #notified = 0;

  constructor(exchange: Exchange, context: ServerContext, line: CallerLine) {
    this.#line = line;
    this.#exchange = exchange;
    this.#context = context;
  }

  /** Whether the client asked for progress messages. */
  get showsProgress(): boolean {
    return this.#context.mcpReq._meta?.progressToken !== undefined;
  }

  /**
   * Holds a call that needs approval, and runs it if it is approved while it is held. If the client disconnects or
   * cancels, nothing is run: the approval waits for the client to come back. If too many calls are held already,
   * answers immediately.
   *
   * @param stop Ends the wait, not the call.
   * @throws GateError like `resumeRequest` and `refreshCaller`
   */
  async untilDecided(answer: GatewayAnswer, waitSeconds: number, stop?: AbortSignal): Promise<GatewayAnswer> {
    const { gate, caller, refreshCaller } = this.#exchange;
    const { intent, approvalUrl } = answer.intent;
    const cancelled = AbortSignal.any([this.#exchange.cancelled, this.#context.mcpReq.signal]);
    const waiting = `Waiting for a person’s approval at ${approvalUrl}`;
    this.#line.log({ level: 'info', data: waiting });
    const stopTelling = this.#tell(waiting);
    try {
      const over = stop ? AbortSignal.any([cancelled, stop]) : cancelled;
      const decided = gate.tools.waitingCalls.tryWait(caller, () =>
        waitUntilResolved(gate, caller, intent.id, waitSeconds, over),
      );
      if (!decided) return answer;
      await decided;
      if (cancelled.aborted) return answer;
      const now = await refreshCaller();
      return await resumeRequest(gate, now, {
        requestId: answer.request.id,
        totalWaitMs: Math.max(0, this.#until - performance.now()),
        hungUp: cancelled,
        line: this.#line,
      });
    } finally {
      stopTelling();
    }
  }

  #tell(message: string): () => void {
    if (!this.showsProgress) return () => {};
    const tell = (): void => {
      this.#notified += 1;
      // Progress must only increase. These values are far below a tool's own progress, which continues with the same
      // token.
      this.#line.progress({ progress: this.#notified / 1_000_000, message });
    };
    tell();
    const timer = setInterval(tell, NOTIFY_EVERY_MS);
    return () => clearInterval(timer);
  }
}

/** One of several gates behind the load balancer. Its process may be killed and started again. */
import { type Answer, type AnyClient, type Ask, expectStatus } from '../gate/client.ts';
import { GateProcess, type StartOptions } from '../gate/gate-process.ts';
import { Tally } from './tally.ts';

/**
 * On a running gate no request takes longer than this, whatever happened to the database, even if nine processes share
 * half a core.
 */
const LIMIT_MS = 120_000;
/** Clients of a suspended gate stop waiting after this time. */
const PATIENCE_WITH_FROZEN_MS = 1000;

export class ClusterGate implements AnyClient {
  readonly name: string;
  readonly tally = new Tally();
  /** Requests that exceeded their time limit. */
  readonly hangs: string[] = [];
  readonly #options: StartOptions;
  readonly #underWay = new Set<AbortController>();
  #process: GateProcess | null = null;
  #isFrozen = false;

  constructor(name: string, options: StartOptions) {
    this.name = name;
    this.#options = options;
  }

  async start(): Promise<void> {
    this.#process = await GateProcess.start(null, this.#options);
  }

  /** The stderr output of the gate's process. */
  get errors(): string {
    return this.#process?.errors ?? '';
  }

  /** Undefined when there was no answer. While there is no process, it returns immediately and counts nothing. */
  async ask(ask: Ask): Promise<Answer | undefined> {
    const client = this.#process?.client;
    if (!client) return undefined;
    const givingUp = new AbortController();
    this.#underWay.add(givingUp);
    const timer = this.#isFrozen
      ? setTimeout(() => givingUp.abort(), PATIENCE_WITH_FROZEN_MS)
      : setTimeout(() => this.#giveUp(givingUp, ask), LIMIT_MS);
    const answer = await client.ask(ask, givingUp.signal);
    clearTimeout(timer);
    this.#underWay.delete(givingUp);
    this.tally.note(answer);
    return answer;
  }

  async get(path: string, key: string, status = 200): Promise<Record<string, unknown>> {
    return expectStatus(path, await this.ask({ method: 'GET', path, key }), status);
  }

  async kill(): Promise<void> {
    const process = this.#process;
    this.#process = null;
    await process?.kill();
  }

  /** Stops the gate as its supervisor would. Other parts of the test know immediately that it is gone. */
  async stop(): Promise<void> {
    const process = this.#process;
    this.#process = null;
    await process?.stop();
  }

  /** Suspends the gate in the middle of whatever it does. */
  freeze(): void {
    this.#isFrozen = true;
    this.#process?.freeze();
    const waiting = [...this.#underWay];
    setTimeout(() => {
      for (const one of waiting) one.abort();
    }, PATIENCE_WITH_FROZEN_MS);
  }

  thaw(): void {
    this.#process?.thaw();
    this.#isFrozen = false;
  }

  #giveUp(givingUp: AbortController, { method, path, idempotencyKey }: Ask): void {
    const under = idempotencyKey === undefined ? '' : `, under ${idempotencyKey},`;
    this.hangs.push(`gate ${this.name}: ${method} ${path}${under} was not answered in ${LIMIT_MS} ms`);
    givingUp.abort();
  }
}

/**
 * Clients of several gates, as behind a load balancer. Any gate gets any request, and a failed gate gets none for a
 * moment. Repeatable requests are retried, mostly on another gate.
 */
import { setTimeout as delay } from 'node:timers/promises';
import { type Answer, type AnyClient, type Ask, expectStatus } from '../gate/client.ts';
import type { Random } from '../random.ts';
import { errorOf, isUnknown } from '../stories/chronicle.ts';
import type { ClusterGate } from './cluster-gate.ts';

const LEFT_ALONE_MS = 300;
/** How often a repeatable request is sent. All attempts together take longer than the replacement of a primary. */
const ATTEMPTS = 8;
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1000;

export class SeveralClients implements AnyClient {
  readonly #gates: readonly ClusterGate[];
  readonly #random: Random;
  readonly #leftAloneUntil = new Map<ClusterGate, number>();
  /** Requests sent again because their result was unknown. */
  repeated = 0;

  constructor(gates: readonly ClusterGate[], random: Random) {
    this.#gates = gates;
    this.#random = random;
  }

  /** Undefined if it is unknown whether the request was carried out. */
  async ask(ask: Ask): Promise<Answer | undefined> {
    const isRepeated = ask.method === 'GET' || (ask.idempotencyKey !== undefined && this.#random.chance(0.7));
    let isOpen = false;
    let answer: Answer | undefined;
    for (let attempt = 0; attempt < (isRepeated ? ATTEMPTS : 1); attempt += 1) {
      if (attempt > 0) {
        this.repeated += 1;
        await delay(Math.min(FIRST_PAUSE_MS * 2 ** attempt, LONGEST_PAUSE_MS) * (0.5 + this.#random.next()));
      }
      answer = await this.#askOne(ask);
      if (answer && isSettled(answer)) return answer;
      if (!answer || isUnknown(answer)) isOpen = true;
    }
    return isOpen ? undefined : answer;
  }

  async get(path: string, key: string, status = 200): Promise<Record<string, unknown>> {
    return expectStatus(path, await this.ask({ method: 'GET', path, key }), status);
  }

  async #askOne(ask: Ask): Promise<Answer | undefined> {
    const now = performance.now();
    const willing = this.#gates.filter((gate) => (this.#leftAloneUntil.get(gate) ?? 0) <= now);
    const gate = this.#random.pick(willing.length > 0 ? willing : this.#gates);
    const answer = await gate.ask(ask);
    if (!answer || answer.status === 503) this.#leftAloneUntil.set(gate, performance.now() + LEFT_ALONE_MS);
    return answer;
  }
}

/** Whether the request was carried out, or refused permanently. */
function isSettled(answer: Answer): boolean {
  if (answer.status === 503) return false;
  const isUnderWay = answer.status === 409 && /^idempotency_conflict$/i.test(String(errorOf(answer).code));
  return !isUnderWay;
}

/** The requests to one gate and its answers, in numbers. */
import type { Answer } from '../gate/client.ts';
import { isUnknown } from '../stories/chronicle.ts';

export class Tally {
  requests = 0;
  acknowledged = 0;
  /** Refusals with a 4xx: because of a rule, or because another request came first. */
  refused = 0;
  /** Answers with a 503 that says that nothing was changed. */
  unavailable = 0;
  /** The connection ended, the client gave up, or a 503 did not say whether anything was changed. */
  unknown = 0;
  /** The time of the last success. Null: no constant requests are sent. */
  #successAt: number | null = null;
  #longestGapMs = 0;

  /** From now on requests are sent constantly. */
  begin(): void {
    this.#successAt = performance.now();
  }

  end(): void {
    this.#closeGap();
    this.#successAt = null;
  }

  note(answer: Answer | undefined): void {
    this.requests += 1;
    if (!answer || isUnknown(answer)) this.unknown += 1;
    else if (answer.status === 503) this.unavailable += 1;
    else if (answer.status >= 400) this.refused += 1;
    else {
      this.acknowledged += 1;
      this.#closeGap();
    }
  }

  /** The longest time between two successes under constant requests, in milliseconds. */
  get longestGapMs(): number {
    return this.#longestGapMs;
  }

  #closeGap(): void {
    if (this.#successAt === null) return;
    const now = performance.now();
    this.#longestGapMs = Math.max(this.#longestGapMs, now - this.#successAt);
    this.#successAt = now;
  }
}

import type { GuardedCall } from './guarded-call.ts';

/** How many calls are kept, so that clients can ask for their results later. */
const MOST_KEPT = 200;
/**
 * For this time after a denial, an identical call creates no new request. The gate's own MCP endpoint does the same.
 */
const DENIAL_HOLDS_MS = 600_000;

/**
 * The calls of one connection: those that clients can ask for again, those pending, and those that the server
 * interrupted.
 */
export class KnownCalls {
  readonly #byIntent = new Map<string, GuardedCall>();
  readonly #waiting = new Map<string, GuardedCall>();
  /** Interrupted calls, by hash and state: the server asked the client a question before it continues (2026-07-28). */
  readonly #interrupted = new Map<string, GuardedCall>();

  add(guarded: GuardedCall): void {
    this.#byIntent.set(guarded.intent.id, guarded);
    if (this.#byIntent.size > MOST_KEPT) this.#forgetOldest();
    if (guarded.intent.status === 'pending') this.#waiting.set(guarded.hash, guarded);
  }

  /** @throws Error with a sentence for the model */
  get(intentId: unknown): GuardedCall {
    const guarded = this.#byIntent.get(String(intentId));
    if (guarded) return guarded;
    throw new Error('there is no call with this intent_id; it may have been made before this connection');
  }

  /** A call that is pending, or that was denied recently. An identical call joins it. */
  findWaiting(hash: string): GuardedCall | undefined {
    return this.#waiting.get(hash);
  }

  /** The request was decided or withdrawn, or it expired. */
  endWait(guarded: GuardedCall): void {
    const { status, reason } = guarded.intent;
    const forget = (): void => {
      if (this.#waiting.get(guarded.hash) === guarded) this.#waiting.delete(guarded.hash);
    };
    if (status === 'denied' && reason !== 'withdrawn') setTimeout(forget, DENIAL_HOLDS_MS).unref();
    else forget();
  }

  interrupt(guarded: GuardedCall, state: unknown): void {
    this.#interrupted.set(nameOf(guarded.hash, state), guarded);
  }

  /** Removes and returns the call that continues with this state. */
  takeInterrupted(hash: string, state: unknown): GuardedCall | undefined {
    const guarded = this.#interrupted.get(nameOf(hash, state));
    this.#interrupted.delete(nameOf(hash, state));
    return guarded;
  }

  get interrupted(): readonly GuardedCall[] {
    return [...this.#interrupted.values()];
  }

  /** Deletes the oldest call that is not pending. */
  #forgetOldest(): void {
    for (const [id, { intent }] of this.#byIntent) {
      if (intent.status !== 'pending') {
        this.#byIntent.delete(id);
        return;
      }
    }
  }
}

function nameOf(hash: string, state: unknown): string {
  return `${hash} ${typeof state === 'string' ? state : ''}`;
}

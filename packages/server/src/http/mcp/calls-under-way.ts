/**
 * The calls that this process is answering. A client of a 2025 revision cancels a call with a separate request.
 * Cancelling needs a session, because two clients with the same key may number their calls alike.
 */
export class CallsUnderWay {
  readonly #calls = new Map<string, AbortController>();

  get count(): number {
    return this.#calls.size;
  }

  /** Returns the signal that aborts when the call is cancelled. Call `end` when it is answered. */
  begin(sessionId: string, id: string | number): { signal: AbortSignal; end(): void } {
    const name = nameOf(sessionId, id);
    const controller = new AbortController();
    this.#calls.set(name, controller);
    return {
      signal: controller.signal,
      end: () => {
        // A later call with the same number may have replaced this one; then its entry stays.
        if (this.#calls.get(name) === controller) this.#calls.delete(name);
      },
    };
  }

  cancel(sessionId: string, id: string | number): void {
    this.#calls.get(nameOf(sessionId, id))?.abort();
  }
}

function nameOf(sessionId: string, id: string | number): string {
  return JSON.stringify([sessionId, id]);
}

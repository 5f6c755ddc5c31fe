/**
 * The calls that this process is answering, so that a client of the 2025 revisions can cancel one: it says so in a request
 * of its own. A session is needed, for two clients with one key number their calls alike.
 */
export class CallsUnderWay {
  readonly #calls = new Map<string, AbortController>();

  /** How many there are now. */
  get count(): number {
    return this.#calls.size;
  }

  /** The signal that aborts when the call is cancelled; `end` when it is answered. */
  begin(sessionId: string, id: string | number): { signal: AbortSignal; end(): void } {
    const name = nameOf(sessionId, id);
    const controller = new AbortController();
    this.#calls.set(name, controller);
    return {
      signal: controller.signal,
      end: () => {
        // Two calls of one number: the later one has the name, and keeps it.
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

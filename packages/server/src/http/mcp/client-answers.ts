import type { JsonObject } from '@permitry/protocol';

/**
 * The questions to clients of the 2025 revisions while a call is held. Each answer arrives as a separate request and
 * must reach this gate.
 */
export class ClientAnswers {
  readonly #expected = new Map<string, (result: JsonObject | undefined) => void>();

  /**
   * Resolves to the client's result for the question with this ID. Resolves to undefined for an error, or when the wait
   * ends.
   */
  expect(sessionId: string, id: string, over: AbortSignal): Promise<JsonObject | undefined> {
    const name = nameOf(sessionId, id);
    return new Promise<JsonObject | undefined>((resolve) => {
      if (over.aborted) resolve(undefined);
      this.#expected.set(name, resolve);
      over.addEventListener('abort', () => resolve(undefined), { once: true });
    }).finally(() => this.#expected.delete(name));
  }

  /** Takes a message that answers a question. An answer from another session is ignored. */
  take(sessionId: string, { id, result }: JsonObject): void {
    const isResult = typeof result === 'object' && result !== null && !Array.isArray(result);
    this.#expected.get(nameOf(sessionId, String(id)))?.(isResult ? result : undefined);
  }
}

function nameOf(sessionId: string, id: string): string {
  return JSON.stringify([sessionId, id]);
}

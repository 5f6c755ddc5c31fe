import type { JsonObject } from '@permitry/protocol';

/**
 * What clients of the 2025 revisions are asked while a call of theirs is held: their answers come in requests of their own,
 * and have to reach this gate to be heard.
 */
export class ClientAnswers {
  readonly #expected = new Map<string, (result: JsonObject | undefined) => void>();

  /** The result of an answer to the question of this id; undefined for an error, or when nobody waits any more. */
  expect(sessionId: string, id: string, over: AbortSignal): Promise<JsonObject | undefined> {
    const name = nameOf(sessionId, id);
    return new Promise<JsonObject | undefined>((resolve) => {
      if (over.aborted) resolve(undefined);
      this.#expected.set(name, resolve);
      over.addEventListener('abort', () => resolve(undefined), { once: true });
    }).finally(() => this.#expected.delete(name));
  }

  /** Takes a message that answers something; of another session it answers nothing. */
  take(sessionId: string, { id, result }: JsonObject): void {
    const isResult = typeof result === 'object' && result !== null && !Array.isArray(result);
    this.#expected.get(nameOf(sessionId, String(id)))?.(isResult ? result : undefined);
  }
}

function nameOf(sessionId: string, id: string): string {
  return JSON.stringify([sessionId, id]);
}

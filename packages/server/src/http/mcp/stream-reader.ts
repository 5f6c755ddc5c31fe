import type { FastifyReply } from 'fastify';

/** Who reads slowly has that long for what is left. */
const GOODBYE_MS = 5000;

/** The other end of a stream that stays open: whether what it is told is taken, so that one that takes nothing costs nothing. */
export class StreamReader {
  readonly #raw: FastifyReply['raw'];
  #owed: (() => void) | undefined;
  #wasBehind = false;
  #isEnded = false;

  constructor(raw: FastifyReply['raw']) {
    this.#raw = raw;
    raw.on('drain', () => {
      this.#wasBehind = false;
      const say = this.#owed;
      this.#owed = undefined;
      say?.();
    });
  }

  get #isBehind(): boolean {
    return this.#raw.writableNeedDrain;
  }

  /** Says it, or does so once all before it is taken; what is owed already is said once. */
  tell(say: () => void): void {
    if (this.#isEnded) return;
    if (this.#isBehind) this.#owed = say;
    else say();
  }

  /**
   * Looked at now and then: who has not caught up since the last time is cut off, and may come back.
   *
   * @returns whether it can be told more
   */
  poll(): boolean {
    if (this.#isBehind && this.#wasBehind) this.#raw.destroy();
    this.#wasBehind = this.#isBehind;
    return !this.#wasBehind && !this.#isEnded;
  }

  /** Neither would who does not read read a goodbye, nor is the end waited for without end. */
  end(sayGoodbye: () => void): void {
    this.#owed = undefined;
    if (this.#isEnded) return;
    this.#isEnded = true;
    if (this.#isBehind) {
      this.#raw.destroy();
      return;
    }
    sayGoodbye();
    const patience = setTimeout(() => this.#raw.destroy(), GOODBYE_MS).unref();
    this.#raw.once('close', () => clearTimeout(patience));
  }
}

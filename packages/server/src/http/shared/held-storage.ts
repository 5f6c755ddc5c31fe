import type { Reader, Storage, Transaction } from '../../gate/ports.ts';

/** What is still to be written when the operation has ended. */
export type LastWords = (tx: Transaction) => Promise<void>;

/** An operation that has not ended this long after its change must not keep everybody else's commits waiting. */
const LONGEST_HOLD_MS = 250;

interface Hold {
  tx: Transaction;
  /** Lets the transaction end. */
  release(lastWords: LastWords | null): void;
}

/**
 * A storage that keeps an operation's transaction open until the operation has ended, so that what is known only then,
 * the answer, is written in the very transaction of the change.
 *
 * To the operation its transaction seems to be over; what it reads from then on, it reads inside. One that begins
 * another transaction, or takes too long, gets the held one committed as it is.
 */
export class HeldStorage implements Storage {
  readonly #inner: Storage;
  #hold: Hold | null = null;
  /** Of the last change that was made here, also once it is held no more: nothing is answered before it is durable. */
  #lastChange: Promise<void> = Promise.resolve();

  constructor(inner: Storage) {
    this.#inner = inner;
  }

  get read(): Reader {
    return this.#hold?.tx ?? this.#inner.read;
  }

  async forget(options?: { compact?: boolean }): Promise<void> {
    await this.finish(null);
    await this.#inner.forget(options);
  }

  async transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T> {
    await this.finish(null);
    const worked = Promise.withResolvers<T>();
    const committed = Promise.withResolvers<void>();
    // Who hears of a failed commit is `finish`; without a hold it is the operation.
    committed.promise.catch(() => {});
    this.#inner
      .transaction(async (tx) => {
        const result = await work(tx);
        this.#lastChange = committed.promise;
        const released = this.#keepOpen(tx);
        worked.resolve(result);
        const lastWords = await released;
        await lastWords?.(tx);
      })
      .then(committed.resolve, (error: unknown) => {
        committed.reject(error);
        worked.reject(error);
      });
    return worked.promise;
  }

  /**
   * Ends what is held, with these last words in it; without a change in progress they get a transaction of their own.
   *
   * @throws whatever the transaction ended with
   */
  async finish(lastWords: LastWords | null): Promise<void> {
    const hold = this.#hold;
    this.#hold = null;
    hold?.release(lastWords);
    await this.#lastChange;
    if (!hold && lastWords) await this.#inner.transaction(lastWords);
  }

  #keepOpen(tx: Transaction): Promise<LastWords | null> {
    const released = Promise.withResolvers<LastWords | null>();
    const timer = setTimeout(() => void this.finish(null).catch(() => {}), LONGEST_HOLD_MS);
    this.#hold = {
      tx,
      release: (lastWords) => {
        clearTimeout(timer);
        released.resolve(lastWords);
      },
    };
    return released.promise;
  }
}

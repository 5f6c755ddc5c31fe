import type { ForgetOptions, Storage, TransactionOptions } from '../../gate/kernel/storage.ts';
import type { Reader, Transaction } from '../../storage/nouns.ts';

/** What is still to be written when the operation has ended. */
export type LastWords = (tx: Transaction) => Promise<void>;

/** An operation that has not ended this long after its change must not keep everybody else's commits waiting. */
const LONGEST_DEFERRAL_MS = 250;

/**
 * The transaction that was held came to nothing, and cannot be run again here: what it answered has been used already.
 * Nothing of it stays. The operation as a whole may be run again.
 */
export class TransactionLostError extends Error {
  constructor() {
    super('the transaction was undone after the operation had gone on from it');
    this.name = 'TransactionLostError';
  }
}

interface OpenTransaction {
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
export class DeferredCommitStorage implements Storage<Reader, Transaction> {
  readonly #inner: Storage<Reader, Transaction>;
  #open: OpenTransaction | null = null;
  /** Of the last change that was made here, also once it is held no more: nothing is answered before it is durable. */
  #lastChange: Promise<void> = Promise.resolve();
  readonly #mark: LastWords | null;
  #isMarked = false;

  /** @param mark Written in the first transaction that has to be let go before the operation has ended. */
  constructor(inner: Storage<Reader, Transaction>, mark: LastWords | null = null) {
    this.#inner = inner;
    this.#mark = mark;
  }

  /** Whether the mark stands there. */
  get isMarked(): boolean {
    return this.#isMarked;
  }

  get read(): Reader {
    return this.#open?.tx ?? this.#inner.read;
  }

  get committed(): Reader {
    return this.#inner.committed;
  }

  async forget(options?: ForgetOptions): Promise<boolean> {
    await this.#letGo();
    return this.#inner.forget(options);
  }

  async transaction<T>(work: (tx: Transaction) => Promise<T>, options?: TransactionOptions): Promise<T> {
    await this.#letGo();
    let runs = 0;
    let isUsed = false;
    const worked = Promise.withResolvers<T>();
    const committed = Promise.withResolvers<void>();
    // Who hears of a failed commit is `finish`; without a hold it is the operation.
    committed.promise.catch(() => {});
    this.#inner
      .transaction(async (tx) => {
        const run = ++runs;
        if (isUsed) throw new TransactionLostError();
        const result = await work(tx);
        if (run !== runs) throw new TransactionLostError();
        isUsed = true;
        this.#lastChange = committed.promise;
        const released = this.#keepOpen(tx);
        worked.resolve(result);
        const lastWords = await released;
        await lastWords?.(tx);
      }, options)
      .then(committed.resolve, (error: unknown) => {
        committed.reject(error);
        worked.reject(error);
      });
    return worked.promise;
  }

  /**
   * Ends what is held, with these last words in it; without a change in progress they get a transaction of their own.
   *
   * @throws whatever the transaction ended with; TransactionLostError
   */
  async finish(lastWords: LastWords | null): Promise<void> {
    const transaction = this.#open;
    this.#open = null;
    transaction?.release(lastWords);
    await this.#lastChange;
    if (!transaction && lastWords) await this.#inner.transaction(lastWords, { guarded: true });
  }

  /**
   * Undoes what is held: the operation could not go on from it. What was let go before stays.
   *
   * @throws whatever the transaction ended with, where it had come to nothing before
   */
  async undo(): Promise<void> {
    const transaction = this.#open;
    if (!transaction) return this.finish(null);
    this.#open = null;
    let isUndone = false;
    transaction.release(async () => {
      isUndone = true;
      throw new TransactionLostError();
    });
    await this.#lastChange.catch((error: unknown) => {
      if (!isUndone) throw error;
    });
  }

  /** Ends what is held although the operation goes on. */
  async #letGo(): Promise<void> {
    const mark = this.#mark;
    if (!this.#open || !mark || this.#isMarked) return this.finish(null);
    await this.finish(async (tx) => {
      await mark(tx);
      tx.afterCommit(() => {
        this.#isMarked = true;
      });
    });
  }

  #keepOpen(tx: Transaction): Promise<LastWords | null> {
    const released = Promise.withResolvers<LastWords | null>();
    const timer = setTimeout(() => void this.#letGo().catch(() => {}), LONGEST_DEFERRAL_MS);
    this.#open = {
      tx,
      release: (lastWords) => {
        clearTimeout(timer);
        released.resolve(lastWords);
      },
    };
    return released.promise;
  }
}

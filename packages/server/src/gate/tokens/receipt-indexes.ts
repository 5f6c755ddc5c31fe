import type { Storage } from '../kernel/storage.ts';
import type { ReceiptStatusWriter } from './receipt-status.ts';

const BLOCK = 1024;

interface Block {
  next: number;
  end: number;
}

const NONE: Block = { next: 0, end: 0 };

/**
 * Gives out places in the receipts' status lists. Reserves places in blocks, because a receipt is signed before the
 * transaction that stores it. If the gate stops, the rest of a block is never used.
 */
export class ReceiptIndexes {
  readonly #storage: Storage<unknown, ReceiptStatusWriter>;
  #block = NONE;
  /** The next block, requested when half of the current block is used, so that nobody waits for its commit. */
  #following: Promise<Block> | undefined;

  constructor(storage: Storage<unknown, ReceiptStatusWriter>) {
    this.#storage = storage;
  }

  async next(): Promise<number> {
    while (this.#block.next >= this.#block.end) {
      const used = this.#block;
      const following = await this.#reserve();
      // Several callers may have waited for the same block. Only the first of them makes it the current block.
      if (this.#block === used) {
        this.#block = following;
        this.#following = undefined;
      }
    }
    const { next, end } = this.#block;
    this.#block.next += 1;
    // A failure only shows when the block is needed. The block is then requested again.
    if (next === end - BLOCK / 2) this.#reserve().catch(() => undefined);
    return next;
  }

  #reserve(): Promise<Block> {
    this.#following ??= this.#storage
      .transaction((tx) => tx.reserveReceiptIndexes(BLOCK))
      .then(
        (first) => ({ next: first, end: first + BLOCK }),
        (error) => {
          this.#following = undefined;
          throw error;
        },
      );
    return this.#following;
  }
}

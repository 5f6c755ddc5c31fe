import type { Storage } from '../kernel/storage.ts';
import type { ReceiptStatusWriter } from './receipt-status.ts';

const BLOCK = 1024;

interface Block {
  next: number;
  end: number;
}

const NONE: Block = { next: 0, end: 0 };

/**
 * Hands out places in the receipts' status list. They are reserved in blocks, because a receipt is signed before
 * the transaction that stores it; what is left of a block when the gate stops is simply never used.
 */
export class ReceiptIndexes {
  readonly #storage: Storage<unknown, ReceiptStatusWriter>;
  #block = NONE;
  /** The block after this one, asked for when half of this one is used, so that nobody waits for its commit. */
  #following: Promise<Block> | undefined;

  constructor(storage: Storage<unknown, ReceiptStatusWriter>) {
    this.#storage = storage;
  }

  async next(): Promise<number> {
    while (this.#block.next >= this.#block.end) {
      const used = this.#block;
      const following = await this.#reserve();
      // Several may have waited for it; the first of them takes it into use.
      if (this.#block === used) {
        this.#block = following;
        this.#following = undefined;
      }
    }
    const { next, end } = this.#block;
    this.#block.next += 1;
    // A failure is heard of when the block is needed; then it is asked for again.
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

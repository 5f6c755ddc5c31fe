import type { Storage } from '../ports.ts';

const BLOCK = 1024;

/**
 * Hands out places in the receipts' status list. They are reserved in blocks, because a receipt is signed before
 * the transaction that stores it; what is left of a block when the gate stops is simply never used.
 */
export class ReceiptIndexes {
  readonly #storage: Storage;
  #next = 0;
  #end = 0;
  #reserving: Promise<void> | undefined;

  constructor(storage: Storage) {
    this.#storage = storage;
  }

  async next(): Promise<number> {
    while (this.#next >= this.#end) {
      this.#reserving ??= this.#reserve().finally(() => {
        this.#reserving = undefined;
      });
      await this.#reserving;
    }
    return this.#next++;
  }

  async #reserve(): Promise<void> {
    const first = await this.#storage.transaction((tx) => tx.reserveReceiptIndexes(BLOCK));
    this.#next = first;
    this.#end = first + BLOCK;
  }
}

/** The limit of one credential, person or project on what can be open at the same time. */
export interface Slot {
  /** The name under which this slot is counted. */
  name: string;
  /** The subject of a sentence in a message: `A credential`. */
  whose: string;
  most: number;
}

/** Counts what is open at the same time: in total, and for each credential, person or project. */
export class OpenSlots {
  readonly #inAll: number;
  readonly #counts = new Map<string, number>();
  #taken = 0;

  constructor(inAll: number) {
    this.#inAll = inAll;
  }

  get taken(): number {
    return this.#taken;
  }

  /**
   * Takes one place of each kind and returns undefined. If a kind is full, takes nothing and returns that kind,
   * or `all` when the total is full.
   */
  take(slots: readonly Slot[]): Slot | 'all' | undefined {
    const full = this.findFull(slots);
    if (full) return full;
    for (const { name } of slots) this.#counts.set(name, this.#count(name) + 1);
    this.#taken += 1;
    return undefined;
  }

  /** The slot that is full, or `all` when the total is full. Undefined: none is. */
  findFull(slots: readonly Slot[]): Slot | 'all' | undefined {
    if (this.#taken >= this.#inAll) return 'all';
    return slots.find(({ name, most }) => this.#count(name) >= most);
  }

  giveBack(slots: readonly Slot[]): void {
    for (const { name } of slots) {
      const left = this.#count(name) - 1;
      if (left > 0) this.#counts.set(name, left);
      else this.#counts.delete(name);
    }
    this.#taken -= 1;
  }

  #count(name: string): number {
    return this.#counts.get(name) ?? 0;
  }
}

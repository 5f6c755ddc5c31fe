/** A share of what can be held open at a time, of one credential, person or project. */
export interface Slot {
  /** Under which it is counted. */
  name: string;
  /** For a sentence: `A credential`. */
  whose: string;
  most: number;
}

/** Counts what is held open at a time, in all and for each of those that share it. */
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

  /** Takes one of each, or nothing: then the answer says which is full, `all` when no more is held for anybody. */
  take(slots: readonly Slot[]): Slot | 'all' | undefined {
    const full = this.findFull(slots);
    if (full) return full;
    for (const { name } of slots) this.#counts.set(name, this.#count(name) + 1);
    this.#taken += 1;
    return undefined;
  }

  /** Which has no room for one more. */
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

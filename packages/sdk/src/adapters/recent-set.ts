const KEPT = 1000;

/** The last thousand texts that were added. */
export class RecentSet {
  readonly #texts = new Set<string>();

  /** Whether it is new. */
  add(text: string): boolean {
    if (this.#texts.has(text)) return false;
    this.#texts.add(text);
    if (this.#texts.size > KEPT) {
      const [oldest] = this.#texts;
      if (oldest !== undefined) this.#texts.delete(oldest);
    }
    return true;
  }
}

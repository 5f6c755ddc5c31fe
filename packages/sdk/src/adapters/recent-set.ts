const KEPT = 1000;

/** Keeps the last thousand texts that were added. */
export class RecentSet {
  readonly #texts = new Set<string>();

  /** Returns whether the text is new. */
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

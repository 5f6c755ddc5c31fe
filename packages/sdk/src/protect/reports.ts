/** The reports of outcomes that are under way: nobody waits for one, and who wants to can wait for all. */
export class Reports {
  readonly #pending = new Set<Promise<void>>();

  /** @param report Must not reject. */
  follow(report: Promise<void>): Promise<void> {
    const followed = report.finally(() => this.#pending.delete(followed));
    this.#pending.add(followed);
    return followed;
  }

  /** Resolves once none is under way, those that begin meanwhile included. */
  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }
}

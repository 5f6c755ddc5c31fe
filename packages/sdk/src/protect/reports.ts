/** The outcome reports in progress. A call does not wait for its own, but a program can wait for all of them. */
export class Reports {
  readonly #pending = new Set<Promise<void>>();

  /** @param report Must not reject. */
  follow(report: Promise<void>): Promise<void> {
    const followed = report.finally(() => this.#pending.delete(followed));
    this.#pending.add(followed);
    return followed;
  }

  /** Resolves when no report is in progress, including reports that begin during the wait. */
  async settled(): Promise<void> {
    while (this.#pending.size > 0) await Promise.all(this.#pending);
  }
}

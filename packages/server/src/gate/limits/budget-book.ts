/**
 * The book in which gates that share a database count requests together. It gives out the rest of a bucket in the
 * current minute in pieces. A gate uses up a piece without asking the book for each request.
 */
export interface BudgetBook {
  /**
   * Answers all asks together. Each bucket may occur at most once per call. The database's clock determines the minute.
   * Rejects with `service_unavailable`: budget granted then is lost, but none is granted twice.
   */
  take(asks: readonly BudgetAsk[]): Promise<BudgetAnswer>;
}

export interface BudgetAsk {
  bucket: string;
  /** Per minute. */
  limit: number;
  /** The wanted amount, in the database's current minute. 0: only read the state. Negative: return unused budget. */
  want: number;
  /** For returned budget: the minute in which the budget was taken. Budget of an earlier minute cannot be returned. */
  minute: number | null;
}

export interface BudgetAnswer {
  /** The database's clock: milliseconds since the epoch. */
  nowMs: number;
  /** The grants by bucket. No entry for budget that was returned too late. */
  grants: ReadonlyMap<string, BudgetGrant>;
}

export interface BudgetGrant {
  /** At most the wanted amount, and never so much that `taken` would exceed the limit. */
  granted: number;
  /** The budget that all gates have taken in this minute, including this grant. */
  taken: number;
}

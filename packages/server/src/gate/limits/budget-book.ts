/**
 * Where gates that share a database count requests together. It gives out the rest of a bucket in the current minute in
 * pieces. A gate that has a piece counts it down without asking.
 */
export interface BudgetBook {
  /**
   * All at once, and each bucket at most once per call. The minute is the database's. Rejects with
   * `service_unavailable`: what was granted then is lost, but nothing is granted twice.
   */
  take(asks: readonly BudgetAsk[]): Promise<BudgetAnswer>;
}

export interface BudgetAsk {
  bucket: string;
  /** Per minute. */
  limit: number;
  /**
   * The amount, from the minute in which the database is asked. 0: only read the state. Negative: return unused budget.
   */
  want: number;
  /** For returned budget: the minute in which it was taken. In another minute there is nothing to return it to. */
  minute: number | null;
}

export interface BudgetAnswer {
  /** The database's clock: milliseconds since the epoch. */
  nowMs: number;
  /** By bucket. No entry for budget that was returned too late. */
  grants: ReadonlyMap<string, BudgetGrant>;
}

export interface BudgetGrant {
  /** At most the wanted amount, and never so much that `taken` exceeds the limit. */
  granted: number;
  /** How much all gates have taken in this minute, including this grant. */
  taken: number;
}

/**
 * The door to where gates that share a database count requests together: what is left of a bucket in the current minute
 * is handed out in pieces, and whoever has a piece counts it down without asking.
 */
export interface BudgetBook {
  /**
   * All at once. Each bucket at most once per call; a minute is the database's. Rejects with `service_unavailable`: what
   * was granted then is lost, and nothing is granted twice.
   */
  take(asks: readonly BudgetAsk[]): Promise<BudgetAnswer>;
}

export interface BudgetAsk {
  bucket: string;
  /** Per minute. */
  limit: number;
  /** How much, of the minute that it is when the database is asked. 0: only how it stands. Negative: given back. */
  want: number;
  /** Of what is given back: the minute it was taken in. In another one there is nothing to be given back to. */
  minute: number | null;
}

export interface BudgetAnswer {
  /** The database's clock: milliseconds since the epoch. */
  nowMs: number;
  /** By bucket. None for what was given back too late. */
  grants: ReadonlyMap<string, BudgetGrant>;
}

export interface BudgetGrant {
  /** At most what was wanted; never so much that `taken` exceeds the limit. */
  granted: number;
  /** How much all gates have taken of this minute, this grant included. */
  taken: number;
}

/** Owns how the uses of a mandate are counted: one row for each entry, and one conditional update for each use. */

/** The limits of an entry. Amounts are in millionths; null: not limited. */
export interface EntryLimits {
  mandateId: string;
  /** Position of the entry, or of the step of a plan, in the document. */
  entry: number;
  uses: number;
  usesPerDay: number | null;
  /** At most four, in the order of the document. */
  amounts: readonly { total: bigint | null; perDay: bigint | null }[];
}

/** What has been counted. */
export interface EntryCount {
  entry: number;
  uses: number;
  /** The newest day with a use; null: none yet. */
  day: string | null;
  usesOfDay: number;
  /** Sums in millionths. Counted only where a limit needs it. */
  amounts: readonly { total: bigint; ofDay: bigint }[];
}

/** One use, before it is counted. */
export interface MandateUse {
  mandateId: string;
  entry: number;
  /** The day by the mandate's own clock: `2026-11-24`. An earlier one than the row's counts as the row's. */
  day: string;
  /** In millionths, in the order of the limits. */
  amounts: readonly bigint[];
}

export interface MandateUseReader {
  /** In the order of the document. */
  listMandateCounts(mandateId: string): Promise<readonly EntryCount[]>;
}

export interface MandateUseWriter {
  insertMandateEntry(limits: EntryLimits): Promise<void>;
  /** Until this transaction ends, another one that locks one of them waits. Locks in the order of their ids. */
  lockMandates(mandateIds: readonly string[]): Promise<void>;
  /**
   * Counts the use if every limit has room for it. Returns its number from 1, without gaps, and the day in which it
   * counts; undefined, and nothing is written, if there is no room. Lock the mandate first.
   */
  countMandateUse(use: MandateUse): Promise<{ n: number; day: string } | undefined>;
}

/** Owns what is kept: what a database must offer the gate, whichever it is. */
import type { Storage } from '../gate/ports.ts';

/** Counts since the storage was opened; metrics, tests and the benchmark read them. */
export interface StorageStats {
  /** Durable commits, each of one group of transactions. */
  commits: number;
  /** Groups that could not be begun or committed; everyone in them was answered `service_unavailable`. */
  failedGroups: number;
  /** Transactions asked for that were answered, whatever the answer. */
  transactions: number;
  /** Of these, the ones whose work threw. */
  refusedTransactions: number;
  largestGroup: number;
  /** Statements run on the reading connection and on the writing one, savepoints and commits not counted. */
  statementsRead: number;
  statementsWritten: number;
}

/** A storage that was opened and has to be closed. */
export interface OpenStorage extends Storage {
  stats(): StorageStats;
  /** Waits for the transactions under way, then lets go of the database. A later transaction is refused. */
  close(): Promise<void>;
}

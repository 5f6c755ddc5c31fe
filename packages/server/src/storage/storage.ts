/** Owns what is kept: what a database must offer the gate, whichever it is. */
import type { Bus } from '../gate/kernel/bus.ts';
import type { Storage } from '../gate/kernel/storage.ts';
import type { BudgetBook } from '../gate/limits/budget-book.ts';
import type { Reader, Transaction } from './nouns.ts';

/** Counts since the storage was opened; metrics, tests and the benchmark read them. */
export interface StorageStats {
  /** Durable commits, each of one group of transactions. */
  commits: number;
  /** Groups that could not be begun or committed as a whole. */
  failedGroups: number;
  /** Transactions asked for that were answered, whatever the answer. */
  transactions: number;
  /** Of these, the ones whose work threw. */
  refusedTransactions: number;
  largestGroup: number;
  /** Statements run outside transactions and inside them, begins and commits not counted. */
  statementsRead: number;
  statementsWritten: number;
  /** Transactions begun again because others came between. Where there is one writer: absent, as what follows. */
  retries?: number;
  /** Standbys that took the place of the server that was written to. */
  promotions?: number;
  /** Connections to the database that are in use, that are open and free, and callers that wait for one. */
  poolInUse?: number;
  poolIdle?: number;
  poolWaiting?: number;
}

/** A storage that was opened and has to be closed. */
export interface OpenStorage extends Storage<Reader, Transaction> {
  stats(): StorageStats;
  /** Begins to hear other gates on the database, where there may be any. `onError` is told when that does not work. */
  openBus(onError: (error: unknown) => void): OpenBus;
  /** Where gates count requests together; null where only one has the database: it counts in memory. */
  readonly budgets: BudgetBook | null;
  /** The clock that gates on the database share, in milliseconds since the epoch; null where only one has it. */
  openTime(): Promise<(() => number) | null>;
  /**
   * Which database it is, wherever it lies: not the same for one that was restored from a dump, or copied. Null for a
   * file, of which that cannot be told.
   */
  identity(): Promise<string | null>;
  /**
   * The listener is called when another server takes the place of the one that was written to, before anything is asked of
   * it: it may lack the latest changes of the one before.
   */
  onPromotion(listener: () => void): void;
  /** Waits for the transactions under way, then lets go of the database. A later transaction is refused. */
  close(): Promise<void>;
}

/** A bus that was opened and has to be closed, before its storage. */
export interface OpenBus extends Bus {
  /** Tells what is left to tell. */
  close(): Promise<void>;
}

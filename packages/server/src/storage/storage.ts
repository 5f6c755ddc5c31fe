/** Owns the storage: what every database must offer the gate. */
import type { Bus } from '../gate/kernel/bus.ts';
import type { Storage } from '../gate/kernel/storage.ts';
import type { BudgetBook } from '../gate/limits/budget-book.ts';
import type { Reader, Transaction } from './nouns.ts';

/** Counts since the storage was opened, for metrics, tests and the benchmark. */
export interface StorageStats {
  /** Durable commits, each of one group of transactions. */
  commits: number;
  /** Groups that could not begin, or could not be committed as a whole. */
  failedGroups: number;
  /** Transactions that were answered, whatever the answer. */
  transactions: number;
  /** Transactions whose work threw. */
  refusedTransactions: number;
  largestGroup: number;
  /** Statements outside and inside transactions, without begins and commits. */
  statementsRead: number;
  statementsWritten: number;
  /** Transactions retried because others came first. With one writer, this and the following are absent. */
  retries?: number;
  /** Standbys that replaced the server that was written to. */
  promotions?: number;
  /** Connections to the database that are in use or idle, and callers that wait for one. */
  poolInUse?: number;
  poolIdle?: number;
  poolWaiting?: number;
}

/** An open storage, which the caller must close. */
export interface OpenStorage extends Storage<Reader, Transaction> {
  stats(): StorageStats;
  /** Begins to listen to other gates on the database, if there may be any. Calls `onError` when listening fails. */
  openBus(onError: (error: unknown) => void): OpenBus;
  /** Where gates count requests together. Null if only one gate uses the database: it counts in memory. */
  readonly budgets: BudgetBook | null;
  /** The clock that gates on the database share, in milliseconds since the epoch. Null if only one gate uses it. */
  openTime(): Promise<(() => number) | null>;
  /**
   * Identifies the database, whatever its address. A database that was restored from a dump, or copied, has another
   * identity. Null for a file, which has none.
   */
  identity(): Promise<string | null>;
  /**
   * Calls the listener when another server replaces the one that was written to, before anything is sent to the new
   * one. The new server may lack the latest changes.
   */
  onPromotion(listener: () => void): void;
  /** Waits for the current transactions, then releases the database. A later transaction is refused. */
  close(): Promise<void>;
}

/** An open bus, which must be closed before its storage. */
export interface OpenBus extends Bus {
  /** Sends the remaining messages. */
  close(): Promise<void>;
}

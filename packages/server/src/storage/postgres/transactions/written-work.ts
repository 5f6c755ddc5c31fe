import type { Transaction } from '../../nouns.ts';
import type { PreparedQuery, QueryRunner } from '../../sql/prepared-query.ts';
import { type Statement, statementOf } from '../statements/statements.ts';
import { GuardedWriter, toTransaction } from '../stores/stores.ts';

export interface Step {
  readonly statement: Statement;
  readonly params: object;
}

/** A read, with the answer that the work relied on. */
export interface Told extends Step {
  readonly rows: readonly object[];
}

class NotWrittenDownError extends Error {
  constructor() {
    super('this can only be asked in a transaction of its own');
    this.name = 'NotWrittenDownError';
  }
}

/**
 * A work that runs before its transaction, on committed data. Its locks, reads and changes are recorded. The
 * transaction repeats the reads. If every answer is the same and every change affects exactly one row, the work could
 * as well have run in the transaction.
 */
export class WrittenWork implements QueryRunner {
  readonly transaction: Transaction;
  readonly locks: Step[] = [];
  readonly told: Told[] = [];
  readonly changes: Step[] = [];
  /** Called before the commit. Each one throws if the transaction must not be committed. */
  readonly checks: (() => void)[] = [];
  /** Called after the commit. */
  readonly effects: (() => void)[] = [];
  isOpen = true;
  /** Whether the work needed something that only a transaction of its own can provide. */
  isPartial = false;
  readonly #reads: QueryRunner;

  /** @param reads Reads committed data. */
  constructor(reads: QueryRunner) {
    this.#reads = reads;
    this.transaction = toTransaction(new GuardedWriter(this), this);
  }

  async all<P extends object, R>(query: PreparedQuery<P, R>, params: P): Promise<R[]> {
    this.#assertOpen();
    const { locks, expects } = query.facts;
    // After a change, a read would have to see that change, which is only recorded so far.
    if (locks === 'alone' || this.changes.length > 0) this.#cannot();
    const statement = statementOf(query);
    if (locks === 'shared') {
      this.locks.push({ statement, params });
      return [];
    }
    const rows = expects ? [expects(params)] : await this.#reads.all(query, params);
    this.told.push({ statement, params, rows: rows as object[] });
    return rows;
  }

  async first<P extends object, R>(query: PreparedQuery<P, R>, params: P): Promise<R | undefined> {
    return (await this.all(query, params))[0];
  }

  async change<P extends object, R>(query: PreparedQuery<P, R>, params: P): Promise<number> {
    this.#assertOpen();
    if (!query.facts.changesOne) this.#cannot();
    this.changes.push({ statement: statementOf(query), params });
    return 1;
  }

  #assertOpen(): void {
    if (!this.isOpen) throw new Error('the transaction has ended; its methods can no longer be used');
  }

  #cannot(): never {
    this.isPartial = true;
    throw new NotWrittenDownError();
  }
}

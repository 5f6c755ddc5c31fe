import type { Transaction } from '../../nouns.ts';
import type { PreparedQuery, QueryRunner } from '../../sql/prepared-query.ts';
import type { Asking } from '../statements/ask-together.ts';
import { type Statement, statementOf } from '../statements/statements.ts';
import { GuardedWriter } from '../stores/stores.ts';

/** What a work asks for, until it is sent with what the others of its group ask for. */
export interface GroupAsking extends Asking {
  readonly work: GroupWork;
  fail(error: unknown): void;
}

/** One work of a group: it shares the transaction with the others, and ends when they all end. */
export class GroupWork implements QueryRunner {
  readonly transaction: Transaction;
  /** To run after the commit. */
  readonly effects: (() => void)[] = [];
  /** Whether something stands in the transaction that would have to be undone. */
  hasWritten = false;
  /** Settled when it has to run elsewhere, since two works of one transaction do not lock rows against each other. */
  readonly expelled = Promise.withResolvers<null>();
  readonly #ask: (asking: GroupAsking) => void;
  readonly #pending = new Set<GroupAsking>();
  #closed: Error | undefined;

  constructor(ask: (asking: GroupAsking) => void) {
    this.#ask = ask;
    this.transaction = Object.assign(new GuardedWriter(this), {
      afterCommit: (effect: () => void): void => {
        this.effects.push(effect);
      },
    });
  }

  get isOpen(): boolean {
    return this.#closed === undefined;
  }

  /** Whether a statement of it is under way that may write. */
  get isWriting(): boolean {
    for (const { statement } of this.#pending) if (statement.writes) return true;
    return false;
  }

  /** What it asks for from now on is refused with this, and what it waits for as well. */
  close(reason: Error): void {
    this.#closed ??= reason;
    for (const asking of this.#pending) asking.fail(reason);
  }

  all<P extends object, R>(query: PreparedQuery<P, R>, params: P): Promise<R[]> {
    return this.#put(query, params, (rows) => rows as R[]);
  }

  first<P extends object, R>(query: PreparedQuery<P, R>, params: P): Promise<R | undefined> {
    return this.#put(query, params, ([row]) => row as R | undefined);
  }

  change<P extends object, R>(query: PreparedQuery<P, R>, params: P): Promise<number> {
    return this.#put(query, params, (_, changed) => changed);
  }

  #put<P extends object, R, T>(
    query: PreparedQuery<P, R>,
    params: P,
    read: (rows: Record<string, unknown>[], changed: number) => T,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      if (this.#closed) throw this.#closed;
      const statement: Statement = statementOf(query);
      const asking: GroupAsking = {
        work: this,
        statement,
        values: statement.form.bind(params),
        answer: (rows, changed) => {
          this.#pending.delete(asking);
          if (statement.writes && (changed > 0 || rows.length > 0)) this.hasWritten = true;
          resolve(read(rows, changed));
        },
        fail: (error) => {
          this.#pending.delete(asking);
          reject(error);
        },
      };
      this.#pending.add(asking);
      this.#ask(asking);
    });
  }
}

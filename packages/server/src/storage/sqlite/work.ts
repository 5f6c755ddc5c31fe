import type { StatementSync } from 'node:sqlite';
import type { Transaction } from '../nouns.ts';
import { SqlStore } from '../queries/stores.ts';
import { isServiceUnavailable, serviceUnavailable } from '../refusals.ts';
import type { PreparedQuery, QueryRunner } from '../sql/prepared-query.ts';
import type { SqliteConnection } from './connection.ts';

/** One transaction of a group, under a savepoint of its own. */
export interface Work {
  readonly transaction: Transaction;
  /** To run after the commit. */
  readonly effects: readonly (() => void)[];
  isOpen(): boolean;
  /** What the database answered to one of its statements, whatever the work made of that: it must not be kept. */
  refusal(): unknown;
  /**
   * Keeps its changes or undoes them. Throws `service_unavailable` when the database failed underneath it, even if
   * the work itself made light of that: then nothing of the group may stay.
   */
  finish(keep: boolean): void;
}

export function createWork(connection: SqliteConnection): Work {
  const run = new WorkRunner(connection);
  const effects: (() => void)[] = [];
  const transaction = Object.assign(new SqlStore(run), {
    // Works stand in a row, and wait for nothing from here on.
    beforeCommit: (check: () => void): void => check(),
    afterCommit(effect: () => void): void {
      effects.push(effect);
    },
  });
  return {
    transaction,
    effects,
    isOpen: () => run.open,
    refusal: () => run.refusal,
    finish: (keep) => run.finish(keep),
  };
}

type Bracket = Record<'savepoint' | 'release' | 'rollback', StatementSync>;
const brackets = new WeakMap<SqliteConnection, Bracket>();

function bracketOf(connection: SqliteConnection): Bracket {
  const known = brackets.get(connection);
  if (known) return known;
  const bracket = {
    savepoint: connection.database.prepare('savepoint work'),
    release: connection.database.prepare('release work'),
    rollback: connection.database.prepare('rollback to work'),
  };
  brackets.set(connection, bracket);
  return bracket;
}

/** Runs the statements of one work, and none after it has ended. */
class WorkRunner implements QueryRunner {
  open = true;
  refusal: unknown;
  readonly #connection: SqliteConnection;
  #hasWritten = false;
  #failure: unknown;

  constructor(connection: SqliteConnection) {
    this.#connection = connection;
  }

  all<P extends object, R>(query: PreparedQuery<P, R>, params: P): Promise<R[]> {
    try {
      this.#assertOpen();
      return Promise.resolve(this.#connection.allNow(query, params));
    } catch (error) {
      return this.#failed(error);
    }
  }

  first<P extends object, R>(query: PreparedQuery<P, R>, params: P): Promise<R | undefined> {
    try {
      this.#assertOpen();
      return Promise.resolve(this.#connection.firstNow(query, params));
    } catch (error) {
      return this.#failed(error);
    }
  }

  change<P extends object, R>(query: PreparedQuery<P, R>, params: P): Promise<number> {
    try {
      this.#assertOpen();
      // Only from its first change on is there anything to undo.
      if (!this.#hasWritten) bracketOf(this.#connection).savepoint.run();
      this.#hasWritten = true;
      return Promise.resolve(this.#connection.changeNow(query, params));
    } catch (error) {
      return this.#failed(error);
    }
  }

  finish(keep: boolean): void {
    this.open = false;
    if (this.#failure !== undefined) throw this.#failure;
    // A full disk or an I/O error can roll back everything at once, behind our back.
    if (!this.#connection.database.isTransaction)
      throw serviceUnavailable(new Error('the group was rolled back'));
    if (!this.#hasWritten) return;
    const bracket = bracketOf(this.#connection);
    if (!keep) bracket.rollback.run();
    bracket.release.run();
  }

  #assertOpen(): void {
    if (!this.open) throw new Error('the transaction has ended; its methods can be used no more');
  }

  #failed(error: unknown): Promise<never> {
    this.refusal ??= error;
    if (isServiceUnavailable(error)) this.#failure ??= error;
    return Promise.reject(error);
  }
}

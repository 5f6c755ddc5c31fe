import type { Transaction } from '../../nouns.ts';
import type { PreparedQuery, QueryRunner } from '../../sql/prepared-query.ts';
import type { PostgresConnection } from '../connections/connection.ts';
import { endsConnection, isRetryable, toGateError } from '../postgres-error.ts';
import { GuardedWriter, SerializableWriter } from '../stores/stores.ts';

/** `serializable`: as if alone. `read committed`: its guards keep what it rests on. */
export type Isolation = 'serializable' | 'read committed';

/** A work with a transaction to itself, as long as it lasts. */
export class LoneWork {
  readonly transaction: Transaction;
  /** Throw what must not be committed, at the end. */
  readonly checks: (() => void)[] = [];
  /** To run after the commit. */
  readonly effects: (() => void)[] = [];
  readonly #runner: LoneRunner;

  constructor(connection: PostgresConnection, isolation: Isolation) {
    this.#runner = new LoneRunner(connection);
    const writer =
      isolation === 'serializable' ? new SerializableWriter(this.#runner) : new GuardedWriter(this.#runner);
    this.transaction = Object.assign(writer, {
      beforeCommit: (check: () => void): void => {
        this.checks.push(check);
      },
      afterCommit: (effect: () => void): void => {
        this.effects.push(effect);
      },
    });
  }

  get isOpen(): boolean {
    return this.#runner.open;
  }

  get hasWritten(): boolean {
    return this.#runner.hasWritten;
  }

  /** What forbids a commit whatever the work made of it: a lost connection, a transaction that must run again. */
  get failure(): unknown {
    return this.#runner.failure;
  }

  /** Whether PostgreSQL carries nothing out in it any more, nor commits it: a question of it was not answered. */
  get isAborted(): boolean {
    return this.#runner.isAborted;
  }

  end(): void {
    this.#runner.open = false;
  }
}

/** Runs the statements of one work in the order they are asked for, and none after it has ended. */
class LoneRunner implements QueryRunner {
  open = true;
  hasWritten = false;
  isAborted = false;
  failure: unknown;
  readonly #connection: PostgresConnection;
  #last: Promise<unknown> = Promise.resolve();

  constructor(connection: PostgresConnection) {
    this.#connection = connection;
  }

  all<P extends object, R>(query: PreparedQuery<P, R>, params: P): Promise<R[]> {
    return this.#oneAtATime(async () => {
      try {
        return (await this.#connection.run(query, params)).rows as R[];
      } catch (error) {
        this.isAborted = true;
        throw error;
      }
    });
  }

  async first<P extends object, R>(query: PreparedQuery<P, R>, params: P): Promise<R | undefined> {
    return (await this.all(query, params))[0];
  }

  change<P extends object, R>(query: PreparedQuery<P, R>, params: P): Promise<number> {
    return this.#oneAtATime(async () => {
      this.hasWritten = true;
      return (await this.#undoable(query, params)) ?? 0;
    });
  }

  /** PostgreSQL refuses everything after an error; a work may catch the clash it ran into, and go on. */
  async #undoable<P extends object, R>(query: PreparedQuery<P, R>, params: P): Promise<number | null> {
    const connection = this.#connection;
    const [, changed, released] = await connection.together(() =>
      Promise.allSettled([
        connection.send({ text: 'savepoint step' }),
        connection.run(query, params),
        connection.send({ text: 'release step' }),
      ]),
    );
    if (changed.status === 'fulfilled') {
      if (released.status === 'rejected') throw released.reason;
      return changed.value.rowCount;
    }
    if (!endsConnection(changed.reason)) {
      await connection.send({ text: 'rollback to step; release step' });
    }
    throw changed.reason;
  }

  #oneAtATime<T>(step: () => Promise<T>): Promise<T> {
    const result = this.#last.then(() => {
      if (!this.open) throw new Error('the transaction has ended; its methods can be used no more');
      return step();
    });
    this.#last = result.catch(() => {});
    return result.catch((error: unknown) => {
      if (endsConnection(error) || isRetryable(error)) this.failure ??= error;
      throw toGateError(error);
    });
  }
}

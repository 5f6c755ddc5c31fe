import type { QueryResult } from 'pg';
import type { Transaction } from '../../nouns.ts';
import type { PreparedQuery, QueryRunner } from '../../sql/prepared-query.ts';
import type { PostgresConnection } from '../connections/connection.ts';
import { toGateError } from '../postgres-error.ts';
import { GuardedWriter, SerializableWriter, toTransaction } from '../stores/stores.ts';

/** `serializable`: as if the work ran alone. `read committed`: the work's guards protect the data that it relies on. */
export type Isolation = 'serializable' | 'read committed';

/** A work with a transaction of its own, which stays open while the work runs. */
export class LoneWork implements QueryRunner {
  readonly transaction: Transaction;
  readonly checks: (() => void)[] = [];
  readonly effects: (() => void)[] = [];
  isOpen = true;
  hasWritten = false;
  /** The database's error, even if the work ignores it. After it, nothing more runs in the transaction. */
  failure: unknown;
  readonly #connection: PostgresConnection;

  constructor(connection: PostgresConnection, isolation: Isolation) {
    this.#connection = connection;
    const Writer = isolation === 'serializable' ? SerializableWriter : GuardedWriter;
    this.transaction = toTransaction(new Writer(this), this);
  }

  async all<P extends object, R>(query: PreparedQuery<P, R>, params: P): Promise<R[]> {
    return (await this.#send(query, params)).rows as R[];
  }

  async first<P extends object, R>(query: PreparedQuery<P, R>, params: P): Promise<R | undefined> {
    return (await this.all(query, params))[0];
  }

  async change<P extends object, R>(query: PreparedQuery<P, R>, params: P): Promise<number> {
    this.hasWritten = true;
    return (await this.#send(query, params)).rowCount ?? 0;
  }

  async #send<P extends object, R>(query: PreparedQuery<P, R>, params: P): Promise<QueryResult> {
    if (!this.isOpen) throw new Error('the transaction has ended; its methods can no longer be used');
    try {
      return await this.#connection.run(query, params);
    } catch (error) {
      this.failure ??= error;
      throw toGateError(error);
    }
  }
}

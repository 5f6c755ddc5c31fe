import type { QueryResult } from 'pg';
import type { Transaction } from '../../nouns.ts';
import type { PreparedQuery, QueryRunner } from '../../sql/prepared-query.ts';
import type { PostgresConnection } from '../connections/connection.ts';
import { toGateError } from '../postgres-error.ts';
import { GuardedWriter, SerializableWriter, toTransaction } from '../stores/stores.ts';

/** `serializable`: as if alone. `read committed`: its guards keep what it rests on. */
export type Isolation = 'serializable' | 'read committed';

/** A work with a transaction to itself, as long as it lasts. */
export class LoneWork implements QueryRunner {
  readonly transaction: Transaction;
  readonly checks: (() => void)[] = [];
  readonly effects: (() => void)[] = [];
  isOpen = true;
  hasWritten = false;
  /** What the database answered in place of a result, whatever the work made of that: nothing more is carried out in it. */
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
    if (!this.isOpen) throw new Error('the transaction has ended; its methods can be used no more');
    try {
      return await this.#connection.run(query, params);
    } catch (error) {
      this.failure ??= error;
      throw toGateError(error);
    }
  }
}

import type { PreparedQuery, QueryRunner } from '../sql/prepared-query.ts';
import type { SqliteConnection } from './connection.ts';

/**
 * Reads committed data. Uses the writing connection, whose cache stays valid after its own commits. While a transaction
 * is open on the writing connection, uses the reading one.
 */
export class CommittedReads implements QueryRunner {
  /** How many statements were run. */
  statements = 0;
  readonly #writing: SqliteConnection;
  readonly #reading: SqliteConnection;
  /** The connection whose lock `underOneLock` holds, while it runs. */
  #locked: SqliteConnection | undefined;

  constructor(writing: SqliteConnection, reading: SqliteConnection) {
    this.#writing = writing;
    this.#reading = reading;
  }

  all<P extends object, R>(query: PreparedQuery<P, R>, params: P): Promise<R[]> {
    this.statements += 1;
    return this.#connection().all(query, params);
  }

  first<P extends object, R>(query: PreparedQuery<P, R>, params: P): Promise<R | undefined> {
    this.statements += 1;
    return this.#connection().first(query, params);
  }

  change(): Promise<never> {
    return Promise.reject(new Error('what writes needs a transaction'));
  }

  underOneLock<T>(ask: () => T): T {
    const connection = this.#connection();
    this.#locked = connection;
    try {
      return connection.underOneLock(ask);
    } finally {
      this.#locked = undefined;
    }
  }

  #connection(): SqliteConnection {
    if (this.#locked) return this.#locked;
    const { database } = this.#writing;
    return database.isOpen && database.isTransaction ? this.#reading : this.#writing;
  }
}

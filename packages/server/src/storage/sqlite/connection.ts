import type { DatabaseSync } from 'node:sqlite';
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { PreparedQuery, QueryRunner } from '../sql/prepared-query.ts';
import type { Database } from '../sql/tables.ts';
import { BoundStatement } from './bound-statement.ts';
import { toGateError } from './sqlite-error.ts';

/** Only generates SQL; it has no driver. */
export const compiler = new Kysely<Database>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

/** One connection to the database file, with its prepared statements. */
export class SqliteConnection implements QueryRunner {
  readonly database: DatabaseSync;
  /** How many statements were run. */
  statements = 0;
  /** Revisions by project, as the open transaction has read them. Cleared when a statement may change a revision. */
  readonly revisions = new Map<string, number>();
  readonly #prepared: (BoundStatement | undefined)[] = [];

  constructor(database: DatabaseSync) {
    this.database = database;
  }

  // Hot path: results are available immediately, and `Promise.resolve` costs less than an async function.
  all<P extends object, R>(query: PreparedQuery<P, R>, params: P): Promise<R[]> {
    try {
      return Promise.resolve(this.allNow(query, params));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  first<P extends object, R>(query: PreparedQuery<P, R>, params: P): Promise<R | undefined> {
    try {
      return Promise.resolve(this.firstNow(query, params));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  change<P extends object, R>(query: PreparedQuery<P, R>, params: P): Promise<number> {
    try {
      return Promise.resolve(this.changeNow(query, params));
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /** Taking and releasing the file's lock costs half as much as reading a row. */
  underOneLock<T>(ask: () => T): T {
    try {
      this.database.exec('begin');
      const answers = ask();
      this.database.exec('commit');
      return answers;
    } catch (error) {
      // A transaction left open would keep reading this snapshot.
      if (this.database.isOpen && this.database.isTransaction) this.database.exec('rollback');
      throw toGateError(error);
    }
  }

  allNow<P extends object, R>(query: PreparedQuery<P, R>, params: P): R[] {
    try {
      return this.#statementOf(query).all(params) as R[];
    } catch (error) {
      throw toGateError(error);
    }
  }

  firstNow<P extends object, R>(query: PreparedQuery<P, R>, params: P): R | undefined {
    try {
      return this.#statementOf(query).first(params) as R | undefined;
    } catch (error) {
      throw toGateError(error);
    }
  }

  changeNow<P extends object, R>(query: PreparedQuery<P, R>, params: P): number {
    try {
      const statement = this.#statementOf(query);
      if (statement.form.mayWrite('projects')) this.revisions.clear();
      return statement.change(params);
    } catch (error) {
      throw toGateError(error);
    }
  }

  #statementOf<P extends object, R>(query: PreparedQuery<P, R>): BoundStatement {
    this.statements += 1;
    const known = this.#prepared[query.slot];
    if (known) return known;
    const statement = new BoundStatement(this.database, query.compile(compiler));
    this.#prepared[query.slot] = statement;
    return statement;
  }
}

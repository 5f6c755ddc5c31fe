import type { DatabaseSync, StatementSync } from 'node:sqlite';
import { DummyDriver, Kysely, SqliteAdapter, SqliteIntrospector, SqliteQueryCompiler } from 'kysely';
import type { CompiledForm, PreparedQuery, QueryRunner } from '../sql/prepared-query.ts';
import type { Database } from '../sql/tables.ts';
import { toGateError } from './sqlite-error.ts';

/** Only writes SQL: it has no driver. */
const compiler = new Kysely<Database>({
  dialect: {
    createAdapter: () => new SqliteAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new SqliteIntrospector(db),
    createQueryCompiler: () => new SqliteQueryCompiler(),
  },
});

interface Prepared {
  form: CompiledForm;
  statement: StatementSync;
}

/** One connection to the database file, with its prepared statements. */
export class SqliteConnection implements QueryRunner {
  readonly database: DatabaseSync;
  /** How many statements were run. */
  statements = 0;
  readonly #prepared: (Prepared | undefined)[] = [];

  constructor(database: DatabaseSync) {
    this.database = database;
  }

  async all<P extends object, R>(query: PreparedQuery<P, R>, params: P): Promise<R[]> {
    return this.#run(query, params, (statement, values) => statement.all(...values) as R[]);
  }

  async first<P extends object, R>(query: PreparedQuery<P, R>, params: P): Promise<R | undefined> {
    return this.#run(query, params, (statement, values) => statement.get(...values) as R | undefined);
  }

  async change<P extends object, R>(query: PreparedQuery<P, R>, params: P): Promise<number> {
    return this.#run(query, params, (statement, values) => Number(statement.run(...values).changes));
  }

  #run<T>(
    query: PreparedQuery<never, unknown>,
    params: object,
    execute: (statement: StatementSync, values: ReturnType<CompiledForm['bind']>) => T,
  ): T {
    this.statements += 1;
    try {
      const { form, statement } = this.#prepared[query.slot] ?? this.#prepare(query);
      return execute(statement, form.bind(params));
    } catch (error) {
      throw toGateError(error);
    }
  }

  #prepare(query: PreparedQuery<never, unknown>): Prepared {
    const form = query.compile(compiler);
    const prepared = { form, statement: this.database.prepare(form.sql) };
    this.#prepared[query.slot] = prepared;
    return prepared;
  }
}

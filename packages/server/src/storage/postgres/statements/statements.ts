/** The queries in PostgreSQL's dialect. Each is compiled once, and prepared once per connection under its own name. */
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  sql,
} from 'kysely';
import type { SqlValue } from '../../sql/column.ts';
import { CompiledForm, marked, Placeholder, type PreparedQuery } from '../../sql/prepared-query.ts';
import type { Database } from '../../sql/tables.ts';
import { sqlState } from '../postgres-error.ts';

/** Only generates SQL; it has no driver. */
const compiler = new Kysely<Database>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/**
 * An extra column in the results of a combined statement: the number, from 1, of the parameters that the row belongs
 * to.
 */
export const NUMBER = '#';

export interface Sendable {
  name: string;
  text: string;
  values: SqlValue[];
}

export class Statement {
  readonly #query: PreparedQuery<never, unknown>;
  readonly #form: CompiledForm;
  /** The parameter names, each once. */
  readonly #names: readonly string[];
  #many: CompiledForm | undefined;
  /** Whether one statement can combine many sets of parameters. */
  hasMany: boolean;

  constructor(query: PreparedQuery<never, unknown>) {
    const { changesOne, many } = query.facts;
    this.#query = query;
    this.#form = query.compile(compiler);
    this.#names = [...new Set(this.#form.names)].filter((name) => name !== undefined);
    this.hasMany = this.#names.length > 0 && (changesOne === undefined || many !== undefined);
  }

  get slot(): number {
    return this.#query.slot;
  }

  /** A key that is the same for equal queries. */
  keyFor(params: object): string {
    return `${this.slot} ${JSON.stringify(params)}`;
  }

  /** The statement has a name, so that connections prepare it. */
  one(params: object): Sendable {
    return { name: `q${this.slot}`, text: this.#form.sql, values: this.#form.bind(params) };
  }

  /** For a query that reads: each row carries the number of the parameters that found it. */
  many(list: readonly object[]): Sendable {
    const rows = list.map((params) => this.#toRow(params));
    this.#many ??= this.#compileMany(rows);
    return {
      name: `m${this.slot}`,
      text: this.#many.sql,
      values: this.#many.bind({ asked: JSON.stringify(rows) }),
    };
  }

  /**
   * Call this with the database's error for a combined statement. If the database does not know the combined form, the
   * form is not used again.
   */
  refused(error: unknown): void {
    if (sqlState(error)?.startsWith('42')) this.hasMany = false;
  }

  #toRow(params: object): Record<string, SqlValue> {
    const given = params as Readonly<Record<string, SqlValue | undefined>>;
    const row: Record<string, SqlValue> = {};
    for (const name of this.#names) {
      const value = given[name];
      if (typeof value !== 'string' && typeof value !== 'number' && value !== null)
        throw new Error(`the query has no value for ${name}: ${this.#form.sql}`);
      row[toColumn(name)] = value;
    }
    return row;
  }

  /** `asked` turns each object of a JSON list into a row, and numbers the rows. */
  #compileMany(rows: readonly Record<string, SqlValue>[]): CompiledForm {
    const { many, integers } = this.#query.facts;
    const columns = this.#names.map((name) => {
      const column = toColumn(name);
      const isInteger = integers?.has(name) || rows.some((row) => typeof row[column] === 'number');
      return sql`${sql.id(column)} ${sql.raw(isInteger ? 'bigint' : 'text')}`;
    });
    const names = [...this.#names.map(toColumn), NUMBER].map((name) => sql.id(name));
    const list = sql`json_to_recordset(cast(${new Placeholder('asked')} as json)) as (${sql.join(columns)})`;
    const asked = sql<{ '#': number }>`rows from (${list}) with ordinality`.as<'asked'>(
      sql`asked (${sql.join(names)})`,
    );
    const $ = marked<never>((name) => sql.ref(`asked.${toColumn(name)}`));
    if (many) return new CompiledForm(many(compiler, $, asked).compile());
    const found = sql`(${this.#query.build(compiler, $)}) as found`;
    const query = sql`select ${sql.ref(`asked.${NUMBER}`)}, found.* from ${asked} cross join lateral ${found}`;
    return new CompiledForm(query.compile(compiler));
  }
}

/** A name that no table uses for a column. */
function toColumn(name: string): string {
  return `$${name}`;
}

const statements: (Statement | undefined)[] = [];

export function statementOf<P extends object, R>(query: PreparedQuery<P, R>): Statement {
  const known = statements[query.slot];
  if (known) return known;
  const statement = new Statement(query as unknown as PreparedQuery<never, unknown>);
  statements[query.slot] = statement;
  return statement;
}

/** The queries in PostgreSQL's words, each compiled once and prepared once on every connection, under its own name. */
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

/** Only writes SQL: it has no driver. */
const compiler = new Kysely<Database>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
  },
});

/** One column of every answer to many: the number of the parameters it belongs to, from 1. */
export const NUMBER = '#';

export interface Sendable {
  name: string;
  text: string;
  values: SqlValue[];
}

export class Statement {
  readonly #query: PreparedQuery<never, unknown>;
  readonly #form: CompiledForm;
  /** Of the parameters, each once. */
  readonly #names: readonly string[];
  #many: CompiledForm | undefined;
  /** Whether one statement can be made of many with their own parameters each. */
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

  /** The same for equal questions. */
  keyFor(params: object): string {
    return `${this.slot} ${JSON.stringify(params)}`;
  }

  /** Named, for connections to prepare it. */
  one(params: object): Sendable {
    return { name: `q${this.slot}`, text: this.#form.sql, values: this.#form.bind(params) };
  }

  /** Of a query that reads, each row bears the number of the parameters that it is found by. */
  many(list: readonly object[]): Sendable {
    const rows = list.map((params) => this.#toRow(params));
    this.#many ??= this.#compileMany(rows);
    return {
      name: `m${this.slot}`,
      text: this.#many.sql,
      values: this.#many.bind({ asked: JSON.stringify(rows) }),
    };
  }

  /** To be told what the database answered to one for many: where it knows no such statement, there is none from here on. */
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

  /** `asked` makes a row of each object of a JSON list, and counts them. */
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

/** A name that no table has a column of. */
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

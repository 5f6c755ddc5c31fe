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
import { CompiledForm, compiled, marked, Placeholder, type PreparedQuery } from '../../sql/prepared-query.ts';
import type { Database } from '../../sql/tables.ts';

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
  readonly facts: PreparedQuery<never, unknown>['facts'];
  /** Under which connections prepare it. */
  readonly #name: string;
  readonly #form: CompiledForm;
  readonly #query: PreparedQuery<never, unknown>;
  #many: CompiledForm | null | undefined;

  constructor(query: PreparedQuery<never, unknown>) {
    this.#query = query;
    this.#name = `q${query.slot}`;
    this.#form = query.compile(compiler);
    this.facts = query.facts;
  }

  get slot(): number {
    return this.#query.slot;
  }

  /** Whether there is one statement for many parameters; undefined while the server was not asked for their types. */
  get hasMany(): boolean | undefined {
    return this.#many === undefined ? undefined : this.#many !== null;
  }

  one(params: object): Sendable {
    return { name: this.#name, text: this.#form.sql, values: this.#form.bind(params) };
  }

  /** @throws Error where there is no such form */
  forMany(list: readonly object[]): Sendable {
    if (!this.#many) throw new Error(`no statement for many was made of ${this.#form.sql}`);
    const names = [...new Set(this.#form.names)].filter((name) => name !== undefined);
    const rows = list.map((params) =>
      Object.fromEntries(
        names.map((name) => [toColumn(name), (params as Readonly<Record<string, unknown>>)[name]]),
      ),
    );
    return {
      name: `m${this.#query.slot}`,
      text: this.#many.sql,
      values: this.#many.bind({ asked: JSON.stringify(rows) }),
    };
  }

  /** Asks for the types of the parameters, of a connection that has prepared the statement. */
  get askTypes(): Sendable {
    return { name: 'types', text: TYPES_OF, values: [this.#name] };
  }

  /** @param types the server's names of the parameters' types, in the order of their places */
  learn(types: readonly string[]): void {
    const typeOf = new Map(this.#form.names.map((name, index) => [name, types[index] ?? 'text']));
    typeOf.delete(undefined);
    this.#many = typeOf.size === 0 ? null : this.#compileMany(typeOf as Map<string, string>);
  }

  /** It is run one by one from here on: the server knows no such form. */
  forgetMany(): void {
    this.#many = null;
  }

  #compileMany(typeOf: ReadonlyMap<string, string>): CompiledForm | null {
    const { many, changesOne } = this.facts;
    if (changesOne && !many) return null;
    const columns = [...typeOf].map(([name, type]) => sql`${sql.id(toColumn(name))} ${sql.raw(type)}`);
    const names = [...typeOf.keys(), ''].map((name) => sql.id(name === '' ? NUMBER : toColumn(name)));
    const rows = sql`json_to_recordset(cast(${new Placeholder('asked')} as json)) as (${sql.join(columns)})`;
    const asked = sql<{ '#': number }>`rows from (${rows}) with ordinality`.as<'asked'>(
      sql`asked (${sql.join(names)})`,
    );
    const $ = marked<never>((name) => sql.ref(`asked.${toColumn(name)}`));
    if (many) return compiled(many(compiler, $, asked));
    const found = sql`${this.#query.build(compiler, $)}`;
    const number = sql.ref(`asked.${NUMBER}`);
    const query = sql`select ${number}, found.* from ${asked} cross join lateral (${found}) as found`;
    const { sql: text, parameters } = query.compile(compiler);
    return new CompiledForm(text, parameters);
  }
}

/** A name that no table has a column of. */
function toColumn(name: string): string {
  return `$${name}`;
}

const TYPES_OF = `
  select array_to_string(parameter_types::text[], ',') as types from pg_prepared_statements where name = $1`;

const statements: (Statement | undefined)[] = [];

export function statementOf<P extends object, R>(query: PreparedQuery<P, R>): Statement {
  const known = statements[query.slot];
  if (known) return known;
  const statement = new Statement(query as unknown as PreparedQuery<never, unknown>);
  statements[query.slot] = statement;
  return statement;
}

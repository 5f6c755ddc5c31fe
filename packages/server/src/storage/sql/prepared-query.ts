/**
 * Queries that are written once, compiled once per dialect, and run many times with new parameters. Building and
 * compiling a query on each call costs more than running it.
 */
import {
  type AliasedExpression,
  type Compilable,
  type CompiledQuery,
  type Kysely,
  type OperationNode,
  TableNode,
} from 'kysely';
import type { SqlValue } from './column.ts';
import type { Database } from './tables.ts';

/** Marks the place of a parameter while the query is built. It is found again among the compiled parameters. */
export class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Rows of parameters that a combined statement reads beside the tables. Each row has a number. */
export type Asked = AliasedExpression<{ '#': number }, 'asked'>;

/** How a query takes part in a transaction that is recorded first and then run together with others. */
export interface QueryFacts<P, R> {
  /**
   * The query changes exactly one row, found by a unique key. If it does not, the work runs again in a transaction of
   * its own.
   */
  changesOne?: boolean;
  /** The same query for each row of `asked`. `$` turns the columns of that row into marks. */
  many?: (db: Kysely<Database>, $: P, asked: Asked) => Compilable<unknown>;
  /** Names of parameters that are integers. The types of the others follow from their values. */
  integers?: ReadonlySet<string>;
  /**
   * The row that the work relies on. If the transaction finds another one, the work runs again in a transaction of its
   * own.
   */
  expects?: ($: P) => R;
  /**
   * `shared`: takes a lock that other works in the same transaction may share. `alone`: needs a transaction of its own.
   */
  locks?: 'shared' | 'alone';
}

/** All prepared queries, each at its slot, so that a connection finds its statement in an array. */
export const preparedQueries: PreparedQuery<never, unknown>[] = [];

/** A query of a known shape. `P` are its named parameters, `R` its rows. */
export class PreparedQuery<P extends object, R> {
  readonly slot: number;
  readonly facts: QueryFacts<P, R>;
  readonly build: (db: Kysely<Database>, $: P) => Compilable<R>;

  constructor(build: (db: Kysely<Database>, $: P) => Compilable<R>, facts: QueryFacts<P, R> = {}) {
    this.build = build;
    this.facts = facts;
    this.slot = preparedQueries.push(this as unknown as PreparedQuery<never, unknown>) - 1;
  }

  /** The SQL of this dialect, with the parameter's name or a fixed value for each place. */
  compile(db: Kysely<Database>): CompiledForm {
    // Kysely passes every value through to `parameters`, so a marker passes as any type.
    return new CompiledForm(
      this.build(
        db,
        marked((name) => new Placeholder(name)),
      ).compile(),
    );
  }
}

/** Replaces each parameter's name with its marker. */
export function marked<P>(mark: (name: string) => unknown): P {
  return new Proxy({}, { get: (_, name) => mark(String(name)) }) as P;
}

export class CompiledForm {
  readonly sql: string;
  readonly #slots: readonly unknown[];
  /** The parameter's name of each place, undefined for a fixed value. */
  readonly names: readonly (string | undefined)[];
  /** The table that the query writes. Null if the query only reads; undefined if that is unknown. */
  readonly #written: string | null | undefined;

  constructor({ sql, parameters, query }: CompiledQuery<unknown>) {
    this.sql = sql;
    this.#written = writtenBy(query);
    this.#slots = parameters;
    this.names = parameters.map((slot) => (slot instanceof Placeholder ? slot.name : undefined));
  }

  get onlyReads(): boolean {
    return this.#written === null;
  }

  /** Also true when it is unknown what the query writes. */
  mayWrite(table: keyof Database): boolean {
    return this.#written === table || this.#written === undefined;
  }

  /** Values in the order of the places. Throws when one is missing, because that means a wrong query, not a null. */
  bind(params: object): SqlValue[] {
    const given = params as Readonly<Record<string, unknown>>;
    return this.names.map((name, index) => {
      const value = name === undefined ? this.#slots[index] : given[name];
      if (typeof value === 'string' || typeof value === 'number' || value === null) return value;
      throw new Error(`the query has no value for ${name ?? 'a fixed place'}: ${this.sql}`);
    });
  }
}

function writtenBy(query: CompiledQuery['query']): string | null | undefined {
  let target: OperationNode | undefined;
  if (query.kind === 'SelectQueryNode') return null;
  if (query.kind === 'InsertQueryNode') target = query.into;
  if (query.kind === 'UpdateQueryNode') target = query.table;
  if (query.kind === 'DeleteQueryNode' && query.from.froms.length === 1) target = query.from.froms[0];
  return target && TableNode.is(target) ? target.table.identifier.name : undefined;
}

/**
 * @example
 * const findAgentRow = prepare((db, $: { id: string }) => db.selectFrom('agents').select(agents.names).where('id', '=', $.id));
 * await run.first(findAgentRow, { id });
 */
export function prepare<P extends object, R>(
  build: (db: Kysely<Database>, $: P) => Compilable<R>,
  facts?: QueryFacts<P, R>,
): PreparedQuery<P, R> {
  return new PreparedQuery(build, facts);
}

/**
 * A query with optional parameters: `$` has no marks for the omitted ones. Creates one prepared query per set of
 * parameters. There must be few, because each is kept.
 */
export function prepareGiven<P extends object, R>(
  build: (db: Kysely<Database>, $: P) => Compilable<R>,
): (params: P) => PreparedQuery<P, R> {
  const prepared = new Map<string, PreparedQuery<P, R>>();
  return (params) => {
    const given = (Object.keys(params) as (keyof P & string)[]).filter((name) => params[name] !== undefined);
    const shape = given.join(' ');
    const known = prepared.get(shape);
    if (known) return known;
    const marksOf = ($: P) => Object.fromEntries(given.map((name) => [name, $[name]])) as P;
    const query = prepare<P, R>((db, $) => build(db, marksOf($)));
    prepared.set(shape, query);
    return query;
  };
}

/** How one connection runs prepared queries. */
export interface QueryRunner {
  all<P extends object, R>(query: PreparedQuery<P, R>, params: P): Promise<R[]>;
  first<P extends object, R>(query: PreparedQuery<P, R>, params: P): Promise<R | undefined>;
  /** Runs a statement that writes. Returns how many rows it changed. */
  change<P extends object, R>(query: PreparedQuery<P, R>, params: P): Promise<number>;
  /** Runs all reads that `ask` starts under one lock. Only for a connection where each read would take its own. */
  underOneLock?<T>(ask: () => T): T;
}

/** The row for each of these parameters, in their order. */
export function firstOfEach<P extends object, R>(
  run: QueryRunner,
  query: PreparedQuery<P, R>,
  all: readonly P[],
): Promise<(R | undefined)[]> {
  const ask = () => {
    const rows = Promise.all(all.map((params) => run.first(query, params)));
    // If releasing the lock fails as well, that error is thrown, and nobody awaits `rows`.
    rows.catch(() => {});
    return rows;
  };
  return run.underOneLock ? run.underOneLock(ask) : ask();
}

/**
 * The methods of a store as functions whose first argument is the connection. A method without a result may return
 * anything.
 */
export type OverRunner<T> = {
  readonly [K in keyof T]: T[K] extends (...args: infer A) => infer R
    ? (run: QueryRunner, ...args: A) => R extends Promise<void> ? Promise<unknown> : R
    : never;
};

/**
 * Queries written once, compiled once per dialect, and run many times with new parameters. Building and compiling a
 * query on each call costs more than running it.
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

/** Stands where a parameter will be while the query is built; found again among the compiled parameters. */
export class Placeholder {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

/** Rows of parameters, which a statement for many reads beside the tables; each has a number. */
export type Asked = AliasedExpression<{ '#': number }, 'asked'>;

/** How a query takes part in a transaction that is written down first, and then run together with others. */
export interface QueryFacts<P, R> {
  /** Changes one row, found by a unique key; where it does not, its transaction starts over alone. */
  changesOne?: boolean;
  /** The same for each row of `asked`, of whose columns `$` makes marks. */
  many?: (db: Kysely<Database>, $: P, asked: Asked) => Compilable<unknown>;
  /** Names of parameters that are integers; of others that is told by their values. */
  integers?: ReadonlySet<string>;
  /** The row that its transaction goes on with; where that is not what is found, the transaction starts over alone. */
  expects?: ($: P) => R;
  /** A lock that others of the same transaction may share, or one that a work has to itself. */
  locks?: 'shared' | 'alone';
}

/** All that were prepared, each at its slot: a connection finds its statement in an array. */
export const preparedQueries: PreparedQuery<never, unknown>[] = [];

/** A query of a known shape: `P` are its parameters by name, `R` its rows. */
export class PreparedQuery<P extends object, R> {
  readonly slot: number;
  readonly facts: QueryFacts<P, R>;
  readonly build: (db: Kysely<Database>, $: P) => Compilable<R>;

  constructor(build: (db: Kysely<Database>, $: P) => Compilable<R>, facts: QueryFacts<P, R> = {}) {
    this.build = build;
    this.facts = facts;
    this.slot = preparedQueries.push(this as unknown as PreparedQuery<never, unknown>) - 1;
  }

  /** The SQL of this dialect, and for each of its places the parameter's name or a fixed value. */
  compile(db: Kysely<Database>): CompiledForm {
    // Kysely takes what it is given for a value and hands it back in `parameters`, so a marker passes as any type.
    return new CompiledForm(
      this.build(
        db,
        marked((name) => new Placeholder(name)),
      ).compile(),
    );
  }
}

/** Makes of each parameter's name what stands in its place. */
export function marked<P>(mark: (name: string) => unknown): P {
  return new Proxy({}, { get: (_, name) => mark(String(name)) }) as P;
}

export class CompiledForm {
  readonly sql: string;
  readonly #slots: readonly unknown[];
  /** Of each place the parameter's name, undefined for a fixed value. */
  readonly names: readonly (string | undefined)[];
  /** The table it writes: null where it only reads, undefined where that cannot be told. */
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

  /** Also where it cannot be told what it writes. */
  mayWrite(table: keyof Database): boolean {
    return this.#written === table || this.#written === undefined;
  }

  /** Values in the order of the places; throws when one is missing, for that would be a wrong query, not a null. */
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
 * A query of which some parameters may be left out: `$` has no marks for them. One prepared query for each set that is given;
 * they must be few, for each is kept.
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

/** One connection's way to run prepared queries. */
export interface QueryRunner {
  all<P extends object, R>(query: PreparedQuery<P, R>, params: P): Promise<R[]>;
  first<P extends object, R>(query: PreparedQuery<P, R>, params: P): Promise<R | undefined>;
  /** Runs a statement that writes; answers how many rows it changed. */
  change<P extends object, R>(query: PreparedQuery<P, R>, params: P): Promise<number>;
  /** Where each read takes a lock of its own: runs the reads that `ask` starts under one. */
  underOneLock?<T>(ask: () => T): T;
}

/** The row of each of these, in their order. */
export function firstOfEach<P extends object, R>(
  run: QueryRunner,
  query: PreparedQuery<P, R>,
  all: readonly P[],
): Promise<(R | undefined)[]> {
  const ask = () => {
    const rows = Promise.all(all.map((params) => run.first(query, params)));
    // Where the lock cannot be given back either, that is what is thrown, and nobody has these.
    rows.catch(() => {});
    return rows;
  };
  return run.underOneLock ? run.underOneLock(ask) : ask();
}

/** The methods of a store as functions that take the connection first. One that answers nothing may end with any answer. */
export type OverRunner<T> = {
  readonly [K in keyof T]: T[K] extends (...args: infer A) => infer R
    ? (run: QueryRunner, ...args: A) => R extends Promise<void> ? Promise<unknown> : R
    : never;
};

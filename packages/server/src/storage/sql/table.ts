/** Defines a table once: its rows in the database and in the gate, and the conversion between them. */
import type { Generated } from 'kysely';
import type { AnyColumn, Column, SqlValue } from './column.ts';

export type Columns = Readonly<Record<string, AnyColumn>>;

/** `project_id` → `projectId` */
type Property<S> = S extends `${infer First}_${infer Rest}` ? `${First}${Capitalize<Property<Rest>>}` : S;

type ValueOf<C> = C extends Column<infer T, infer _S, infer _P> ? T : never;
type StoredOf<C> = C extends Column<infer _T, infer S, infer _P> ? S : never;
type PartOf<C> = C extends Column<infer _T, infer _S, infer P> ? P : never;

/** A row's object in the gate. Its properties have the columns' names in camel case. */
export type ObjectOf<C extends Columns> = {
  [K in keyof C as PartOf<C[K]> extends 'kept' | 'touched' ? Property<K> : never]: ValueOf<C[K]>;
};

/** The values of a new row. */
export type NewOf<C extends Columns> = {
  [K in keyof C as PartOf<C[K]> extends 'kept' | 'aside' ? Property<K> : never]: ValueOf<C[K]>;
};

/** Every column that a statement may name. */
export type ValuesOf<C extends Columns> = {
  [K in keyof C as Property<K>]: ValueOf<C[K]>;
};

/** A row as it is read. */
export type RowOf<C extends Columns> = { [K in keyof C]: StoredOf<C[K]> };

/** The table as Kysely knows it. */
export type KyselyTable<C extends Columns> = {
  [K in keyof C]: PartOf<C[K]> extends 'given' ? Generated<StoredOf<C[K]>> : StoredOf<C[K]>;
};

/** A table's facts for the schema, besides its columns. */
export interface TableFacts {
  /** Several columns; only for one dialect if it is named. */
  primaryKey?: readonly string[] | Readonly<Partial<Record<Dialect, readonly string[]>>>;
  unique?: readonly (readonly string[])[];
  /** `(project_id, group_name) references member_groups (project_id, name)` */
  foreignKeys?: readonly string[];
  checks?: readonly string[];
  indexes?: Readonly<Record<string, IndexFacts>>;
  /** Exists only in this dialect. */
  only?: Dialect;
  /** A single row that exists from the beginning. */
  firstRow?: Readonly<Record<string, string | number>>;
  /** Rows are long, so SQLite does not store them in the tree of their key. */
  longRows?: boolean;
  /** Storage parameters of PostgreSQL. */
  postgres?: Readonly<Record<string, string | number>>;
}

export type Dialect = 'sqlite' | 'postgres';

export interface IndexFacts {
  on: readonly string[];
  unique?: boolean;
  where?: string | Readonly<Partial<Record<Dialect, string>>>;
  only?: Dialect;
}

interface Member {
  readonly column: string;
  readonly property: string;
  readonly facts: AnyColumn['facts'];
  readonly toStored: ((value: unknown) => SqlValue) | undefined;
  readonly fromStored: ((stored: unknown) => unknown) | undefined;
}

export class Table<N extends string, C extends Columns> {
  readonly name: N;
  readonly columns: C;
  readonly facts: TableFacts;
  readonly members: readonly Member[];
  readonly toObject: (row: RowOf<C>) => ObjectOf<C>;
  /** The row of a new object. Other properties are ignored. */
  readonly toRow: (object: NewOf<C>) => Omit<RowOf<C>, 'seq' | 'position'>;

  constructor(name: N, columns: C, facts: TableFacts) {
    this.name = name;
    this.columns = columns;
    this.facts = facts;
    this.members = Object.entries(columns).map(([column, { facts, toStored, fromStored }]) => ({
      column,
      property: toProperty(column),
      facts,
      toStored: toStored as Member['toStored'],
      fromStored: fromStored as Member['fromStored'],
    }));
    const written = this.members.filter(isWritten);
    this.toObject = readerOf(this.#kept) as Table<N, C>['toObject'];
    this.toRow = makerOf(
      written.map(({ column, property, toStored, facts: { part, initial } }) => ({
        from: property,
        to: column,
        by: part === 'set' || part === 'touched' ? () => initial : toStored,
      })),
    ) as Table<N, C>['toRow'];
  }

  /**
   * For a join: this table's columns under their full names, and the object of the joined row. Null when there was no
   * row to join.
   */
  joined(): Joined<N, C> {
    const inFull = (column: string) => `${this.name}.${column}`;
    const always = this.members.find(({ facts }) => !facts.nullable);
    if (!always) throw new Error(`nothing tells a row of ${this.name} from none`);
    const neverNull = inFull(always.column);
    const toObject = readerOf(this.#kept, inFull) as (row: object) => ObjectOf<C>;
    return {
      columns: this.members.map(({ column }) => `${inFull(column)} as ${inFull(column)}`) as InFull<N, C>[],
      toObject: (row) => (row[neverNull as keyof typeof row] === null ? null : toObject(row)),
    };
  }

  /** Columns and properties that are integers in the database. */
  get integers(): ReadonlySet<string> {
    const integers = this.members.filter(({ facts }) => facts.type === 'integer');
    return new Set(integers.flatMap(({ column, property }) => [column, property]));
  }

  get names(): readonly (keyof C & string)[] {
    return Object.keys(this.columns);
  }

  /** Its columns when several tables are read. Never `*`, because a newer release may have added some. */
  namesIn<A extends string>(alias: A): readonly `${A}.${keyof C & string}`[] {
    return this.names.map((name) => `${alias}.${name}` as const);
  }

  /** The same rows without these columns, which are long. Not for writing. */
  without<K extends keyof C & string>(...left: readonly K[]): Table<N, Omit<C, K>> {
    const read = Object.entries(this.columns).filter(([column]) => !left.some((name) => name === column));
    return new Table(this.name, Object.fromEntries(read) as unknown as Omit<C, K>, this.facts);
  }

  /** Some of the properties: the columns to select, and the object of such a row. */
  pick<P extends keyof ValuesOf<C> & string>(...properties: readonly P[]): Selection<C, P> {
    const members = properties.map((name) => this.#memberOf(name));
    return {
      properties,
      columns: members.map(({ column }) => column as ColumnOf<C, P>),
      toObject: readerOf(members) as Selection<C, P>['toObject'],
    };
  }

  /** For the properties that a statement names: their columns, and how to store their values under the same names. */
  naming(properties: readonly string[]): Named {
    const members = properties.map((name) => this.#memberOf(name));
    return {
      columns: members.map(({ column }) => column),
      toStored: members.some(({ toStored }) => toStored)
        ? makerOf(members.map(({ property, toStored }) => ({ from: property, to: property, by: toStored })))
        : (values) => values,
    };
  }

  get #kept(): Member[] {
    return this.members.filter(({ facts: { part } }) => part === 'kept' || part === 'touched');
  }

  #memberOf(name: string): Member {
    const member = this.members.find(({ property }) => property === name);
    if (!member) throw new Error(`${this.name} has no ${name}`);
    return member;
  }
}

/** The column of a property. */
type ColumnOf<C extends Columns, P> = {
  [K in keyof C & string]: Property<K> extends P ? K : never;
}[keyof C & string];

export interface Selection<C extends Columns, P extends keyof ValuesOf<C>> {
  readonly properties: readonly P[];
  readonly columns: readonly ColumnOf<C, P>[];
  readonly toObject: (row: Pick<RowOf<C>, ColumnOf<C, P>>) => Pick<ValuesOf<C>, P>;
}

/** Whether the values of a new row include this column. */
export function isWritten({ facts: { part } }: Pick<Member, 'facts'>): boolean {
  return part !== 'given' && part !== 'derived';
}

/** A column under its full name: `agents.name as agents.name`. */
type InFull<N extends string, C extends Columns> = {
  [K in keyof C & string]: `${N}.${K} as ${N}.${K}`;
}[keyof C & string];

interface Joined<N extends string, C extends Columns> {
  columns: readonly InFull<N, C>[];
  toObject(
    row: {
      readonly [K in keyof C & string as `${N}.${K}`]: RowOf<C>[K] | null;
    },
  ): ObjectOf<C> | null;
}

interface Named {
  columns: readonly string[];
  toStored(values: object): object;
}

/** @param nameOf The name of a column in the rows. */
function readerOf(members: readonly Member[], nameOf = (column: string) => column): (row: object) => object {
  return makerOf(
    members.map(({ column, property, fromStored }) => ({
      from: nameOf(column),
      to: property,
      by: fromStored,
    })),
  );
}

interface Copied {
  from: string;
  to: string;
  by: ((value: unknown) => unknown) | undefined;
}

/**
 * Makes an object of one shape from the properties of another. Compiled, because an object that gets its properties one
 * by one becomes a hash table.
 */
function makerOf(copied: readonly Copied[]): (from: object) => object {
  const lines = copied.map(({ from, to, by }, index) => {
    const value = `from[${JSON.stringify(from)}]`;
    return `${JSON.stringify(to)}: ${by ? `by[${index}](${value})` : value}`;
  });
  return new Function('by', 'from', `return { ${lines.join(', ')} };`).bind(
    undefined,
    copied.map(({ by }) => by),
  ) as (from: object) => object;
}

function toProperty(column: string): string {
  return column.replace(/_(.)/g, (_, letter: string) => letter.toUpperCase());
}

/** Defines columns once: the type in the database, the value in the gate, and the constraints in the schema. */
import type { Instant } from '../../gate/kernel/instant.ts';
import { fromStoredJws, toStoredJws } from './stored-jws.ts';

/** Values that a column can hold in every dialect. */
export type SqlValue = string | number | null;

/** JSON text (RFC 8259). */
export type Json = string;

/**
 * Where a column's value comes from. `kept`: a property of the object. `aside`: written on insert, never read back.
 * `set`: from the table's definition. `derived`: from the inserting statement, otherwise null. `given`: from the
 * database. `touched`: null at first, then advanced by `touch`; a property.
 */
type ColumnRole = 'kept' | 'aside' | 'set' | 'derived' | 'given' | 'touched';

/** A column's facts for the schema. */
interface Facts {
  readonly type: 'text' | 'integer';
  readonly part: ColumnRole;
  readonly nullable?: boolean;
  readonly unique?: boolean;
  /** The whole primary key. */
  readonly primary?: boolean;
  /** Compares equal ignoring the case of ASCII letters. */
  readonly caseless?: boolean;
  /** The referenced table, by its `id`, or one of its columns: `shadow_policies (project_id)`. */
  readonly references?: string;
  readonly oneOf?: readonly SqlValue[];
  /** The value in a new row, for a `set` column. */
  readonly initial?: SqlValue;
  /** The value for rows that the previous release wrote without one. */
  readonly default?: SqlValue;
  /** On PostgreSQL, the column is null until its value is known. */
  readonly lateOnPostgres?: boolean;
}

export interface AnyColumn {
  readonly facts: Facts;
  /** Omitted when a value is stored unchanged. */
  readonly toStored?: ((value: never) => SqlValue) | undefined;
  readonly fromStored?: ((stored: never) => unknown) | undefined;
}

/** `T` in the gate, `S` in the database. */
export class Column<T, S extends SqlValue, P extends ColumnRole = 'kept'> implements AnyColumn {
  declare readonly value: T;
  declare readonly stored: S;
  declare readonly part: P;
  readonly facts: Facts;
  readonly toStored?: ((value: T) => S) | undefined;
  readonly fromStored?: ((stored: S) => T) | undefined;

  constructor(facts: Facts, toStored?: (value: T) => S, fromStored?: (stored: S) => T) {
    this.facts = facts;
    this.toStored = toStored;
    this.fromStored = fromStored;
  }

  orNull(): Column<T | null, S | null, P> {
    const { toStored, fromStored } = this;
    return new Column<T | null, S | null, P>(
      { ...this.facts, nullable: true },
      toStored && ((value) => (value === null ? null : toStored(value))),
      fromStored && ((stored) => (stored === null ? null : fromStored(stored))),
    );
  }

  unique(): Column<T, S, P> {
    return this.#with({ unique: true });
  }

  primary(): Column<T, S, P> {
    return this.#with({ primary: true });
  }

  caseless(): Column<T, S, P> {
    return this.#with({ caseless: true });
  }

  references(table: string): Column<T, S, P> {
    return this.#with({ references: table });
  }

  /** For a column that was added later: its value in rows of the previous release. */
  defaultsTo(value: S & {}): Column<T, S, P> {
    return this.#with({ default: value });
  }

  /** On PostgreSQL, the column is null until its value is known. */
  lateOnPostgres(): Column<T, S, P> {
    return this.#with({ lateOnPostgres: true });
  }

  /** Written with the object, but never read back. */
  aside(): Column<T, S, 'aside'> {
    return new Column<T, S, 'aside'>({ ...this.facts, part: 'aside' }, this.toStored, this.fromStored);
  }

  /** Written by an expression of a statement, and not part of any object. */
  derived(): Column<T, S, 'derived'> {
    return new Column<T, S, 'derived'>({ ...this.facts, part: 'derived' }, this.toStored, this.fromStored);
  }

  /** The value in a new row. Only statements change it, and it is not part of any object. */
  set(initial: S): Column<T, S, 'set'> {
    return new Column<T, S, 'set'>({ ...this.facts, part: 'set', initial }, this.toStored, this.fromStored);
  }

  #with(facts: Partial<Facts>): Column<T, S, P> {
    return new Column<T, S, P>({ ...this.facts, ...facts }, this.toStored, this.fromStored);
  }
}

/** A time-ordered integer primary key from the database. It never leaves the storage. */
export function rowKey(): Column<number, number, 'given'> {
  return new Column({ type: 'integer', part: 'given', primary: true });
}

/** A moment, as ISO text. */
export function instant(): Column<Instant, Instant> {
  return text<Instant>();
}

/** @example text<Role>() */
export function text<T extends string = string>(): Column<NoInfer<T>, NoInfer<T>> {
  return new Column({ type: 'text', part: 'kept' });
}

/** Text in a composite primary key, which cannot be null. Null is stored as ''. */
export function textInKey(): Column<string | null, string> {
  return new Column<string | null, string>(
    { type: 'text', part: 'kept' },
    (value) => value ?? '',
    (stored) => (stored === '' ? null : stored),
  );
}

/** Text that the schema restricts to these words. */
export function oneOf<const T extends string>(...words: readonly T[]): Column<T, T> {
  return new Column({ type: 'text', part: 'kept', oneOf: words });
}

export function integer(): Column<number, number> {
  return new Column({ type: 'integer', part: 'kept' });
}

/** A count in millionths, up to 2^63. In statements it is decimal text, because a number would not be exact. */
export function millionths(): Column<bigint, string> {
  return new Column<bigint, string>({ type: 'integer', part: 'kept' }, String, BigInt);
}

/** The key of a table with a single row. */
export function onlyRow(): Column<number, number, 'set'> {
  return new Column<number, number, 'set'>({
    type: 'integer',
    part: 'set',
    primary: true,
    oneOf: [1],
    initial: 1,
  });
}

/** True and false, stored as 1 and 0. */
export function flag(): Column<boolean, 0 | 1> {
  return new Column<boolean, 0 | 1>(
    { type: 'integer', part: 'kept', oneOf: [0, 1] },
    (value) => (value ? 1 : 0),
    (stored) => stored === 1,
  );
}

/** The time when something was last seen or used. No caller passes it: null in a new row, then advanced by `touch`. */
export function touched(): Column<Instant | null, Instant | null, 'touched'> {
  return new Column({ type: 'text', part: 'touched', nullable: true, initial: null });
}

/** One of our tokens; '' when it was erased. */
export function jws(): Column<string, string> {
  return new Column({ type: 'text', part: 'kept' }, toStoredJws, fromStoredJws);
}

/** A value stored as JSON text. @example json<readonly string[]>() */
export function json<T>(): Column<NoInfer<T>, Json> {
  return new Column<NoInfer<T>, Json>({ type: 'text', part: 'kept' }, toJson, fromJson);
}

/** A value's JSON text, as a column stores it. */
export function toJson(value: unknown): Json {
  return JSON.stringify(value);
}

/** Reads what `toJson` wrote. The column must hold nothing else. */
function fromJson<T>(text: Json): T {
  // A shortcut, because most lists are empty.
  return (text === '[]' ? [] : JSON.parse(text)) as T;
}

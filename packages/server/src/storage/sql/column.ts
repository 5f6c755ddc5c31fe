/** Columns as they are said once: the type in the database, the value in the gate, and what the schema holds them to. */
import type { Instant } from '../../gate/kernel/instant.ts';
import { fromStoredJws, toStoredJws } from './stored-jws.ts';

/** What a column can hold in every dialect. */
export type SqlValue = string | number | null;

/** JSON text (RFC 8259). */
export type Json = string;

/**
 * Where a column's value comes from. `kept`: a property of the object. `aside`: written on insert, never read back. `set`: as
 * the table says. `derived`: as the statement that inserts says, else null. `given`: by the database. `touched`: null at
 * first, then moved on by `touch`; a property.
 */
type ColumnRole = 'kept' | 'aside' | 'set' | 'derived' | 'given' | 'touched';

/** What the schema says of a column. */
interface Facts {
  readonly type: 'text' | 'integer';
  readonly part: ColumnRole;
  readonly nullable?: boolean;
  readonly unique?: boolean;
  /** The whole primary key. */
  readonly primary?: boolean;
  /** Equal in any case of ASCII letters. */
  readonly caseless?: boolean;
  /** A table, by its `id`, or a column of it: `shadow_policies (project_id)`. */
  readonly references?: string;
  readonly oneOf?: readonly SqlValue[];
  /** The value in a new row, of a column that is `set`. */
  readonly initial?: SqlValue;
  /** Of rows that name no value: those of the release before. */
  readonly default?: SqlValue;
  /** On PostgreSQL null until it is known. */
  readonly lateOnPostgres?: boolean;
}

export interface AnyColumn {
  readonly facts: Facts;
  /** Left out where a value is stored as it is. */
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

  /** Of a column that came later, in rows of the release before. */
  defaultsTo(value: S & {}): Column<T, S, P> {
    return this.#with({ default: value });
  }

  /** Null until it is known, on PostgreSQL. */
  lateOnPostgres(): Column<T, S, P> {
    return this.#with({ lateOnPostgres: true });
  }

  /** Written with the object, and in none that is read. */
  aside(): Column<T, S, 'aside'> {
    return new Column<T, S, 'aside'>({ ...this.facts, part: 'aside' }, this.toStored, this.fromStored);
  }

  /** Written by an expression of a statement, and in no object. */
  derived(): Column<T, S, 'derived'> {
    return new Column<T, S, 'derived'>({ ...this.facts, part: 'derived' }, this.toStored, this.fromStored);
  }

  /** Of a new row; only statements change it, and it stands in no object. */
  set(initial: S): Column<T, S, 'set'> {
    return new Column<T, S, 'set'>({ ...this.facts, part: 'set', initial }, this.toStored, this.fromStored);
  }

  #with(facts: Partial<Facts>): Column<T, S, P> {
    return new Column<T, S, P>({ ...this.facts, ...facts }, this.toStored, this.fromStored);
  }
}

/** Time-ordered integer primary key, given by the database; never leaves storage. */
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

/** Text in a composite primary key, which cannot be null: null is stored as ''. */
export function textInKey(): Column<string | null, string> {
  return new Column<string | null, string>(
    { type: 'text', part: 'kept' },
    (value) => value ?? '',
    (stored) => (stored === '' ? null : stored),
  );
}

/** Text that the schema holds to these words. */
export function oneOf<const T extends string>(...words: readonly T[]): Column<T, T> {
  return new Column({ type: 'text', part: 'kept', oneOf: words });
}

export function integer(): Column<number, number> {
  return new Column({ type: 'integer', part: 'kept' });
}

/** The only row of its table. */
export function onlyRow(): Column<number, number, 'set'> {
  return new Column<number, number, 'set'>({
    type: 'integer',
    part: 'set',
    primary: true,
    oneOf: [1],
    initial: 1,
  });
}

/** True and false; 1 and 0 in the database. */
export function flag(): Column<boolean, 0 | 1> {
  return new Column<boolean, 0 | 1>(
    { type: 'integer', part: 'kept', oneOf: [0, 1] },
    (value) => (value ? 1 : 0),
    (stored) => stored === 1,
  );
}

/** When it was last seen or used, which no caller says: null in a new row, and then moved on by `touch`. */
export function touched(): Column<Instant | null, Instant | null, 'touched'> {
  return new Column({ type: 'text', part: 'touched', nullable: true, initial: null });
}

/** A token of ours, '' where it was erased. */
export function jws(): Column<string, string> {
  return new Column({ type: 'text', part: 'kept' }, toStoredJws, fromStoredJws);
}

/** A value kept as JSON text. @example json<readonly string[]>() */
export function json<T>(): Column<NoInfer<T>, Json> {
  return new Column<NoInfer<T>, Json>({ type: 'text', part: 'kept' }, toJson, fromJson);
}

/** JSON text of a value as it stands in a column. */
export function toJson(value: unknown): Json {
  return JSON.stringify(value);
}

/** What `toJson` wrote, read back; nothing else may stand in the column. */
function fromJson<T>(text: Json): T {
  // Most lists are empty.
  return (text === '[]' ? [] : JSON.parse(text)) as T;
}

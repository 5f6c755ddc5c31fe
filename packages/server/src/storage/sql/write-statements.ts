/**
 * Changes derived from a table alone. Each is created once, with a noun's queries, and then run on any connection.
 * Properties have the gate's names.
 *
 * @example
 * const insert = insertInto(agents);
 * const rename = updateOf(agents, { set: ['name'], where: ['id'] });
 * await insert(run, agent);
 * if (!(await rename(run, { id, name }))) throw notFound('agent');
 */
import type {
  AliasableExpression,
  Compilable,
  Expression,
  InsertQueryBuilder,
  InsertResult,
  Kysely,
  OnConflictBuilder,
  OnConflictDatabase,
  OnConflictUpdateBuilder,
  UpdateQueryBuilder,
  UpdateResult,
} from 'kysely';
import type { Instant } from '../../gate/kernel/instant.ts';
import { type Marks, markedColumns, type PropertyOf, type TableName, type Values } from './marks.ts';
import { type Asked, prepare, type QueryRunner } from './prepared-query.ts';
import { type Columns, isWritten, type NewOf, type RowOf, type Table } from './table.ts';
import type { Database } from './tables.ts';

/** Writes one whole row. @param derived The values of derived columns, by column. */
export function insertInto<N extends TableName, C extends Columns>(
  table: Table<N, C>,
  derived?: ($: RowOf<C>) => Readonly<Partial<Record<keyof C, Expression<unknown>>>>,
): (run: QueryRunner, object: NewOf<C>) => Promise<unknown> {
  const insert = (db: Kysely<Database>, $: Marks, asked?: Asked) =>
    insertion(db, table, $, { asked, derived: derived?.($ as RowOf<C>) });
  const query = prepare(insert, { changesOne: true, many: insert, integers: table.integers });
  return (run, object) => run.change(query, table.toRow(object) as Marks);
}

/**
 * Writes the row unless one with the same values of these properties exists. If none are named, any equal unique key
 * counts. Returns whether it wrote the row.
 */
export function insertOnce<N extends TableName, C extends Columns>(
  table: Table<N, C>,
  ...by: readonly PropertyOf<C>[]
): (run: QueryRunner, object: NewOf<C>) => Promise<boolean> {
  const keys = table.naming(by).columns;
  const insert = (db: Kysely<Database>, $: Marks, asked?: Asked) =>
    insertion(db, table, $, { asked }).onConflict((conflict) =>
      (keys.length > 0 ? conflict.columns(keys as never) : conflict).doNothing(),
    );
  const query = prepare(insert, { changesOne: true, many: insert, integers: table.integers });
  return async (run, object) => (await run.change(query, table.toRow(object) as Marks)) === 1;
}

/** Writes the row. If one with these properties exists, overwrites part of it. */
export function save<N extends TableName, C extends Columns>(
  table: Table<N, C>,
  { by, set }: { by: readonly PropertyOf<C>[]; set: readonly PropertyOf<C>[] },
): (run: QueryRunner, object: NewOf<C>) => Promise<void> {
  const keys = table.naming(by).columns;
  const query = prepare((db, $: Marks) =>
    insertion(db, table, $).onConflict((conflict) =>
      conflict
        .columns(keys as never)
        .doUpdateSet(
          Object.fromEntries(table.naming(set).columns.map((column) => [column, $[column]])) as never,
        ),
    ),
  );
  return async (run, object) => {
    await run.change(query, table.toRow(object) as Marks);
  };
}

/**
 * Writes one whole row, or runs the given conflict clause. Returns how many rows it wrote. In a combined statement it
 * only writes rows without a conflict.
 */
export function insertOr<N extends TableName, C extends Columns, P extends object = object>(
  table: Table<N, C>,
  or: (
    conflict: OnConflictBuilder<Database, N>,
    $: P,
  ) => OnConflictUpdateBuilder<OnConflictDatabase<Database, N>, N | 'excluded'>,
): (run: QueryRunner, object: NewOf<C>, params?: P) => Promise<number> {
  const query = prepare(
    (db, $: Marks) => insertion(db, table, $).onConflict((conflict) => or(conflict, $ as unknown as P)),
    {
      changesOne: true,
      integers: table.integers,
      many: (db, $, asked) => insertion(db, table, $, { asked }).onConflict((clash) => clash.doNothing()),
    },
  );
  return (run, object, params) =>
    run.change(query, { ...table.toRow(object), ...params } as unknown as Marks);
}

type Insertion<N extends TableName> = InsertQueryBuilder<Database, N, InsertResult>;

/** Updates the row with these properties. Returns whether there was one. */
export function updateOf<N extends TableName, C extends Columns, K extends PropertyOf<C>>(
  table: Table<N, C>,
  { set, where }: { set: readonly K[]; where: readonly K[] },
): (run: QueryRunner, values: Values<C, K>) => Promise<boolean> {
  const { toStored } = table.naming([...set, ...where]);
  const query = prepare((db, $: Marks) => {
    let update = setting(db, table, set, $);
    for (const [column, mark] of markedColumns(table, where, $)) update = update.where(column, '=', mark);
    return update;
  });
  return async (run, values) => (await run.change(query, toStored(values) as Marks)) > 0;
}

/** Advances the time when these rows were last seen or used, and never moves it back. */
export function touch<N extends TableName, C extends Columns>(
  table: Table<N, C>,
): (run: QueryRunner, ids: readonly string[], at: Instant) => Promise<void> {
  const touched = table.members.find(({ facts }) => facts.part === 'touched');
  if (!touched) throw new Error(`${table.name} does not say when its rows were last seen`);
  const column = touched.column as 'owner_left_at';
  const query = prepare((db, $: { id: string; at: Instant }) =>
    db
      .updateTable(table.name as 'agents')
      .set({ [column]: $.at } as never)
      .where('id', '=', $.id)
      .where((eb) => eb.or([eb(column, 'is', null), eb(column, '<', $.at)])),
  );
  return async (run, ids, at) => {
    for (const id of ids) await run.change(query, { id, at });
  };
}

/** A guarded update of one row, found by a unique key. Returns whether the row was as the statement expects. */
export function guarded<N extends TableName, C extends Columns, P extends object>(
  table: Table<N, C>,
  which: (rows: Update<N>, $: P) => AnyUpdate,
): (run: QueryRunner, params: P) => Promise<boolean> {
  return updateWhere(table, [], which);
}

/** A guarded update that also sets these properties. */
export function updateWhere<
  N extends TableName,
  C extends Columns,
  K extends PropertyOf<C>,
  P extends object,
>(
  table: Table<N, C>,
  set: readonly K[],
  which: (rows: Update<N>, $: P) => AnyUpdate,
): (run: QueryRunner, values: Values<C, K> & P) => Promise<boolean> {
  const { toStored } = table.naming(set);
  const update = (db: Kysely<Database>, $: Marks) =>
    which(setting(db, table, set, $) as unknown as Update<N>, $ as unknown as P);
  const query = prepare(update, {
    changesOne: true,
    many: (db, $, asked) =>
      update(db, $)
        .from(asked)
        .returning('asked.#' as never),
    integers: table.integers,
  });
  return async (run, values) =>
    (await run.change(query, { ...values, ...toStored(values) } as unknown as Marks)) === 1;
}

/** An update of any table. */
interface AnyUpdate extends Compilable<unknown> {
  from(asked: Asked): { returning(number: never): Compilable<unknown> };
}

export type Update<N extends TableName> = UpdateQueryBuilder<Database, N, N, UpdateResult>;

/** Returns how many rows it deleted. */
export function deleteFrom<N extends TableName, C extends Columns, K extends PropertyOf<C>>(
  table: Table<N, C>,
  ...where: readonly [K, ...K[]]
): (run: QueryRunner, values: Values<C, K>) => Promise<number> {
  const { toStored } = table.naming(where);
  const query = prepare((db, $: Marks) => {
    let deletion = db.deleteFrom(table.name as 'agents');
    for (const [column, mark] of markedColumns(table, where, $)) deletion = deletion.where(column, '=', mark);
    return deletion;
  });
  return (run, values) => run.change(query, toStored(values) as Marks);
}

/**
 * Deletes the oldest rows by a time column, at most `limit` of them: those before the given time, or `until` it.
 * Returns how many.
 *
 * @param key A unique column.
 */
export function deleteOldest<N extends TableName, C extends Columns>(
  table: Table<N, C>,
  { key, ...by }: { key: PropertyOf<C> } & ({ before: PropertyOf<C> } | { until: PropertyOf<C> }),
): (run: QueryRunner, moment: Instant, limit: number) => Promise<number> {
  const [property, operator] = 'before' in by ? [by.before, '<' as const] : [by.until, '<=' as const];
  const [id, at] = table.naming([key, property]).columns;
  const isNullable = table.members.some(({ column, facts }) => column === at && facts.nullable);
  const moment = `old.${at}` as 'old.polled_at';
  const query = prepare((db, $: { moment: Instant; limit: number }) =>
    db.deleteFrom(table.name as 'pairings').where(id as 'id', 'in', (eb) => {
      const old = eb.selectFrom(`${table.name} as old` as 'pairings as old').select(`old.${id}` as 'old.id');
      // Stated explicitly, because the index may contain only rows that have a time.
      return (isNullable ? old.where(moment, 'is not', null) : old)
        .where(moment, operator, $.moment)
        .orderBy(moment)
        .limit($.limit);
    }),
  );
  return (run, moment, limit) => run.change(query, { moment, limit });
}

/** A statement that changes rows. Returns how many. */
export function change<P extends object>(
  build: (db: Kysely<Database>, $: P) => Compilable<unknown>,
): (run: QueryRunner, params: P) => Promise<number> {
  const query = prepare(build);
  return (run, params) => run.change(query, params);
}

function setting<N extends TableName, C extends Columns>(
  db: Kysely<Database>,
  table: Table<N, C>,
  set: readonly string[],
  $: Marks,
) {
  const changes = Object.fromEntries(markedColumns(table, set, $));
  return db.updateTable(table.name as 'agents').set(changes as never);
}

/** `$` marks the values of the new row. With `asked`, it marks the columns of a row of `asked`. */
function insertion<N extends TableName, C extends Columns>(
  db: Kysely<Database>,
  table: Table<N, C>,
  $: object,
  { asked, derived = {} }: { asked?: Asked | undefined; derived?: object | undefined } = {},
): Insertion<N> {
  const marks = $ as Marks;
  const columns = table.members.filter(isWritten).map(({ column }) => [column, marks[column]]);
  const values: Record<string, AliasableExpression<unknown>> = { ...Object.fromEntries(columns), ...derived };
  const into = db.insertInto(table.name as N);
  if (!asked) return into.values(values as never);
  const row = Object.entries(values).map(([column, value]) => value.as(column));
  return into.columns(Object.keys(values) as never).expression(
    db
      .selectFrom(asked as never)
      .select(row)
      .orderBy(`asked.#` as never) as never,
  ) as never;
}

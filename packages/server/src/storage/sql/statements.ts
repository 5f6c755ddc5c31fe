/**
 * The statements that follow from a table alone. Each is made once, where a noun's queries stand, and then run on any
 * connection; a property is named as in the gate.
 *
 * @example
 * const insert = insertInto(agents);
 * const rename = updateOf(agents, { set: ['name'], where: ['id'] });
 * await insert(run, agent);
 * if (!(await rename(run, { id, name }))) throw notFound('agent');
 */
import type {
  Compilable,
  Expression,
  InsertQueryBuilder,
  InsertResult,
  Kysely,
  Selectable,
  SelectQueryBuilder,
  UpdateQueryBuilder,
  UpdateResult,
} from 'kysely';
import type { Instant } from '../../gate/kernel/instant.ts';
import { type PreparedQuery, prepare, prepareShapes, type QueryRunner } from './prepared-query.ts';
import {
  type Columns,
  isWritten,
  type NewOf,
  type ObjectOf,
  type RowOf,
  type Table,
  type ValuesOf,
} from './table.ts';
import type { Database } from './tables.ts';

type TableName = keyof Database;
type PropertyOf<C extends Columns> = keyof ValuesOf<C> & string;
type Values<C extends Columns, K extends PropertyOf<C>> = Pick<ValuesOf<C>, K>;
/** Stand where the parameters will be, by property or column. */
type Marks = Readonly<Record<string, never>>;

/** Writes one whole row. @param derived by column, what stands in those that are derived */
export function insertInto<N extends TableName, C extends Columns>(
  table: Table<N, C>,
  derived?: ($: RowOf<C>) => Readonly<Partial<Record<keyof C, Expression<unknown>>>>,
): (run: QueryRunner, object: NewOf<C>) => Promise<void> {
  const query = prepare((db, $: Marks) => insertion(db, table, $, derived?.($ as RowOf<C>)));
  return async (run, object) => {
    await run.change(query, table.toRow(object) as Marks);
  };
}

/** Writes it where no row has its key yet, or these properties where some are named; answers whether it did. */
export function insertOnce<N extends TableName, C extends Columns>(
  table: Table<N, C>,
  ...by: readonly PropertyOf<C>[]
): (run: QueryRunner, object: NewOf<C>) => Promise<boolean> {
  const keys = table.naming(by).columns;
  const query = prepare((db, $: Marks) =>
    insertion(db, table, $).onConflict((conflict) =>
      (keys.length > 0 ? conflict.columns(keys as never) : conflict).doNothing(),
    ),
  );
  return async (run, object) => (await run.change(query, table.toRow(object) as Marks)) === 1;
}

/** Writes it, or where a row has these properties already, some of it over that. */
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

/** Writes one whole row, or what the end of the statement says; answers how many rows it wrote. */
export function insertOr<N extends TableName, C extends Columns, P extends object = object>(
  table: Table<N, C>,
  or: (insertion: Insertion<N>, $: P) => Compilable<unknown>,
): (run: QueryRunner, object: NewOf<C>, params: P) => Promise<number> {
  const query = prepare((db, $: Marks) =>
    or(insertion(db, table, $) as unknown as Insertion<N>, $ as unknown as P),
  );
  return (run, object, params) =>
    run.change(query, { ...table.toRow(object), ...params } as unknown as Marks);
}

type Insertion<N extends TableName> = InsertQueryBuilder<Database, N, InsertResult>;

/** Answers whether there was such a row. */
export function updateOf<N extends TableName, C extends Columns, K extends PropertyOf<C>>(
  table: Table<N, C>,
  { set, where }: { set: readonly K[]; where: readonly K[] },
): (run: QueryRunner, values: Values<C, K>) => Promise<boolean> {
  const { toStored } = table.naming([...set, ...where]);
  const query = prepare((db, $: Marks) => {
    const changes = table.naming(set).columns.map((column, index) => [column, $[set[index] ?? '']]);
    let update = db.updateTable(table.name as 'agents').set(Object.fromEntries(changes) as never);
    for (const [column, mark] of conditions(table, where, $)) update = update.where(column, '=', mark);
    return update;
  });
  return async (run, values) => (await run.change(query, toStored(values) as Marks)) === 1;
}

/** Moves on when these were last seen or used; never back. */
export function touch<N extends TableName, C extends Columns>(
  table: Table<N, C>,
): (run: QueryRunner, ids: readonly string[], at: Instant) => Promise<void> {
  const column = table.members.find(({ facts }) => facts.part === 'touched')?.column as 'owner_left_at';
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

/** Sets these properties, in a statement that says itself of which row, and what else; answers whether there was such a row. */
export function updateWhere<
  N extends TableName,
  C extends Columns,
  K extends PropertyOf<C>,
  P extends object,
>(
  table: Table<N, C>,
  set: readonly K[],
  which: (update: Update<N>, $: P) => Compilable<unknown>,
): (run: QueryRunner, values: Values<C, K> & P) => Promise<boolean> {
  const { columns, toStored } = table.naming(set);
  const query = prepare((db, $: Marks) => {
    const changes = columns.map((column, index) => [column, $[set[index] ?? '']]);
    const update = db.updateTable(table.name as 'agents').set(Object.fromEntries(changes) as never);
    return which(update as unknown as Update<N>, $ as unknown as P);
  });
  return async (run, values) =>
    (await run.change(query, { ...values, ...toStored(values) } as unknown as Marks)) === 1;
}

export type Update<N extends TableName> = UpdateQueryBuilder<Database, N, N, UpdateResult>;

/** Answers how many rows there were. */
export function deleteFrom<N extends TableName, C extends Columns, K extends PropertyOf<C>>(
  table: Table<N, C>,
  ...where: readonly [K, ...K[]]
): (run: QueryRunner, values: Values<C, K>) => Promise<number> {
  const { toStored } = table.naming(where);
  const query = prepare((db, $: Marks) => {
    let deletion = db.deleteFrom(table.name as 'agents');
    for (const [column, mark] of conditions(table, where, $)) deletion = deletion.where(column, '=', mark);
    return deletion;
  });
  return (run, values) => run.change(query, toStored(values) as Marks);
}

/** Deletes rows that expired, found by a key that each has for itself: at most `limit` of them. Answers how many. */
export function deleteExpired<N extends TableName, C extends Columns>(
  table: Table<N, C>,
  key: PropertyOf<C>,
): (run: QueryRunner, now: string, limit: number) => Promise<number> {
  const [column] = table.naming([key]).columns;
  const query = prepare((db, $: { now: string; limit: number }) =>
    db.deleteFrom(table.name as 'pairings').where(column as 'id', 'in', (eb) =>
      eb
        .selectFrom(`${table.name} as old` as 'pairings as old')
        .select(`old.${column}` as 'old.id')
        .where('old.expires_at', '<=', $.now)
        .limit($.limit),
    ),
  );
  return (run, now, limit) => run.change(query, { now, limit });
}

/** The row with these properties. */
export function findIn<N extends TableName, C extends Columns, K extends PropertyOf<C>>(
  table: Table<N, C>,
  ...where: readonly [K, ...K[]]
): (run: QueryRunner, values: Values<C, K>) => Promise<ObjectOf<C> | undefined> {
  const { toStored } = table.naming(where);
  const query = prepare((db, $: Marks) => rowsWhere(db, table, where, $));
  return async (run, values) => {
    const row = await run.first(query, toStored(values) as Marks);
    return row && table.toObject(row as never);
  };
}

/** How many rows have these properties. */
export function countIn<N extends TableName, C extends Columns, K extends PropertyOf<C>>(
  table: Table<N, C>,
  ...where: readonly [K, ...K[]]
): (run: QueryRunner, values: Values<C, K>) => Promise<number> {
  const { toStored } = table.naming(where);
  const query = prepare((db, $: Marks) => {
    const count = db.selectFrom(table.name as 'agents').select((eb) => eb.fn.countAll<number>().as('count'));
    return conditions(table, where, $).reduce((rows, [column, mark]) => rows.where(column, '=', mark), count);
  });
  return async (run, values) => (await run.first(query, toStored(values) as Marks))?.count ?? 0;
}

/** All rows with these properties, in this order; of a number of the database's own where none is named. */
export function listIn<N extends TableName, C extends Columns, K extends PropertyOf<C> = never>(
  table: Table<N, C>,
  {
    where = [],
    orderBy,
    limit,
  }: { where?: readonly K[]; orderBy?: PropertyOf<C> | `${PropertyOf<C>} desc`; limit?: number },
): (run: QueryRunner, values: Values<C, K>) => Promise<ObjectOf<C>[]> {
  const { toStored } = table.naming(where);
  const query = prepare((db, $: Marks) => {
    const rows = rowsWhere(db, table, where, $);
    const [property, direction] = orderBy?.split(' ') ?? [];
    const [column] = property === undefined ? [] : table.naming([property]).columns;
    const ordered =
      column === undefined ? rows : rows.orderBy(column as never, direction === 'desc' ? 'desc' : 'asc');
    return limit === undefined ? ordered : ordered.limit(limit);
  });
  return async (run, values) =>
    (await run.all(query, toStored(values) as Marks)).map((row) => table.toObject(row as never));
}

/** Pages of the rows with these properties, newest first. A cursor outside of them has no page. */
export function pagesOf<N extends TableName, C extends Columns, K extends PropertyOf<C>>(
  table: Table<N, C>,
  ...where: readonly [K, ...K[]]
): (
  run: QueryRunner,
  values: Values<C, K>,
  page: { beforeId?: string; limit: number },
) => Promise<ObjectOf<C>[]> {
  const { toStored } = table.naming(where);
  const shapes = prepareShapes((db, $: Marks, shape: { paged: boolean }) => {
    const rows = rowsWhere(db, table, where, $)
      .orderBy('seq', 'desc')
      .limit($.limit as never);
    if (!shape.paged) return rows;
    return rows.where('seq', '<', (eb) => {
      let last = eb
        .selectFrom(`${table.name} as last` as 'agents as last')
        .select('last.seq')
        .where('last.id', '=', $.beforeId as never);
      for (const [column, mark] of conditions(table, where, $))
        last = last.where(`last.${column}` as 'last.id', '=', mark);
      return last;
    });
  });
  return async (run, values, { beforeId, limit }) => {
    const params = { ...toStored(values), beforeId: beforeId ?? '', limit };
    const rows = await run.all(shapes({ paged: beforeId !== undefined }), params as unknown as Marks);
    return rows.map((row) => table.toObject(row as never));
  };
}

export type Rows<N extends TableName> = SelectQueryBuilder<Database, N, Selectable<Database[N]>>;

/** A query for whole rows that says itself which ones; and what they stand for, where that is more than the table knows. */
export function rowsOf<N extends TableName, C extends Columns, P extends object, T = ObjectOf<C>>(
  table: Table<N, C>,
  which: (rows: Rows<N>, $: P) => Compilable<Selectable<Database[N]>>,
  toObject: (row: RowOf<C>) => T = table.toObject as (row: RowOf<C>) => T,
): {
  first(run: QueryRunner, params: P): Promise<T | undefined>;
  all(run: QueryRunner, params: P): Promise<T[]>;
} {
  const query = prepare((db, $: P) => which(selected(db, table) as unknown as Rows<N>, $));
  return {
    async first(run, params) {
      const row = await run.first(query, params);
      return row && toObject(row as never);
    },
    all: async (run, params) => (await run.all(query, params)).map((row) => toObject(row as never)),
  };
}

/** Counts the rows of a query that says itself which ones. */
export function countOf<N extends TableName, C extends Columns, P extends object>(
  table: Table<N, C>,
  which: (rows: Counted<N>, $: P) => Compilable<{ count: number }>,
): (run: QueryRunner, params: P) => Promise<number> {
  const query = prepare((db, $: P) => {
    const rows = db.selectFrom(table.name as 'agents').select((eb) => eb.fn.countAll<number>().as('count'));
    return which(rows as unknown as Counted<N>, $);
  });
  return async (run, params) => (await run.first(query, params))?.count ?? 0;
}

type Counted<N extends TableName> = SelectQueryBuilder<Database, N, { count: number }>;

/** A statement that changes rows; answers how many. */
export function change<P extends object>(
  build: (db: Kysely<Database>, $: P) => Compilable<unknown>,
): (run: QueryRunner, params: P) => Promise<number> {
  const query: PreparedQuery<P, unknown> = prepare(build);
  return (run, params) => run.change(query, params);
}

/** A guarded update of one row: answers whether the row was as the statement expects. */
export function guarded<P extends object>(
  build: (db: Kysely<Database>, $: P) => Compilable<unknown>,
): (run: QueryRunner, params: P) => Promise<boolean> {
  const run = change(build);
  return async (runner, params) => (await run(runner, params)) === 1;
}

/** What `insertInto` says, for a statement that says more; `$` marks a row. */
export function insertion<N extends TableName, C extends Columns>(
  db: Kysely<Database>,
  table: Table<N, C>,
  $: object,
  derived: object = {},
): Insertion<N> {
  const marks = $ as Marks;
  const values = table.members.filter(isWritten).map(({ column }) => [column, marks[column]]);
  return db.insertInto(table.name as N).values({ ...Object.fromEntries(values), ...derived } as never);
}

function rowsWhere<N extends TableName, C extends Columns>(
  db: Kysely<Database>,
  table: Table<N, C>,
  where: readonly string[],
  $: Marks,
) {
  let rows = selected(db, table);
  for (const [column, mark] of conditions(table, where, $)) rows = rows.where(column, '=', mark);
  return rows;
}

function selected<N extends TableName, C extends Columns>(db: Kysely<Database>, table: Table<N, C>) {
  const rows = db.selectFrom(table.name as 'agents');
  return table.isPart ? rows.select(table.names as never) : rows.selectAll();
}

/** Columns with the marks of their properties. */
function conditions<N extends TableName, C extends Columns>(
  table: Table<N, C>,
  where: readonly string[],
  $: Marks,
): ['id', never][] {
  return table.naming(where).columns.map((column, index) => [column as 'id', $[where[index] ?? ''] as never]);
}

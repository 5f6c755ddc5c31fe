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

type Update<N extends TableName> = UpdateQueryBuilder<Database, N, N, UpdateResult>;

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

type Rows<N extends TableName> = SelectQueryBuilder<Database, N, Selectable<Database[N]>>;

/** A query for whole rows that says itself which ones. */
export function rowsOf<N extends TableName, C extends Columns, P extends object>(
  table: Table<N, C>,
  which: (rows: Rows<N>, $: P) => Compilable<Selectable<Database[N]>>,
): {
  first(run: QueryRunner, params: P): Promise<ObjectOf<C> | undefined>;
  all(run: QueryRunner, params: P): Promise<ObjectOf<C>[]>;
} {
  const query = prepare((db, $: P) =>
    which(db.selectFrom(table.name as 'agents').selectAll() as unknown as Rows<N>, $),
  );
  return {
    async first(run, params) {
      const row = await run.first(query, params);
      return row && table.toObject(row as never);
    },
    all: async (run, params) => (await run.all(query, params)).map((row) => table.toObject(row as never)),
  };
}

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

function insertion<N extends TableName, C extends Columns>(
  db: Kysely<Database>,
  table: Table<N, C>,
  $: Marks,
  derived: object = {},
) {
  const written = table.members.filter(isWritten);
  const values = Object.fromEntries(written.map(({ column }) => [column, $[column]]));
  return db.insertInto(table.name as 'agents').values({ ...values, ...derived } as never);
}

function rowsWhere<N extends TableName, C extends Columns>(
  db: Kysely<Database>,
  table: Table<N, C>,
  where: readonly string[],
  $: Marks,
) {
  let rows = db.selectFrom(table.name as 'agents').selectAll();
  for (const [column, mark] of conditions(table, where, $)) rows = rows.where(column, '=', mark);
  return rows;
}

/** Columns with the marks of their properties. */
function conditions<N extends TableName, C extends Columns>(
  table: Table<N, C>,
  where: readonly string[],
  $: Marks,
): ['id', never][] {
  return table.naming(where).columns.map((column, index) => [column as 'id', $[where[index] ?? ''] as never]);
}

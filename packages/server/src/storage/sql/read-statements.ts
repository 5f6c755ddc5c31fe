/**
 * Reads derived from a table alone. Each is created once, with a noun's queries, and then run on any connection.
 * Properties have the gate's names.
 *
 * @example
 * const find = findIn(agents, 'projectId', 'id');
 * const agent = await find(run, { projectId, id });
 */
import type { Compilable, Kysely, Selectable, SelectQueryBuilder } from 'kysely';
import { type Marks, markedColumns, type PropertyOf, type TableName, type Values } from './marks.ts';
import { prepare, prepareGiven, type QueryRunner } from './prepared-query.ts';
import type { Columns, ObjectOf, RowOf, Table } from './table.ts';
import type { Database } from './tables.ts';

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

/** All rows with these properties, in no particular order unless one is given. */
export function listIn<N extends TableName, C extends Columns, K extends PropertyOf<C> = never>(
  table: Table<N, C>,
  { where = [], orderBy }: { where?: readonly K[]; orderBy?: PropertyOf<C> },
): (run: QueryRunner, values: Values<C, K>) => Promise<ObjectOf<C>[]> {
  const { toStored } = table.naming(where);
  const query = prepare((db, $: Marks) => {
    const rows = rowsWhere(db, table, where, $);
    const [column] = orderBy === undefined ? [] : table.naming([orderBy]).columns;
    return column === undefined ? rows : rows.orderBy(column as never, 'asc');
  });
  return async (run, values) =>
    (await run.all(query, toStored(values) as Marks)).map((row) => table.toObject(row as never));
}

/** Pages of the rows with these properties, newest first. A cursor outside these rows gives an empty page. */
export function pagesOf<N extends TableName, C extends Columns, K extends PropertyOf<C>>(
  table: Table<N, C>,
  ...where: readonly [K, ...K[]]
): (
  run: QueryRunner,
  values: Values<C, K>,
  page: { beforeId?: string; limit: number },
) => Promise<ObjectOf<C>[]> {
  const { toStored } = table.naming(where);
  const query = prepareGiven((db, $: Marks) => {
    const rows = rowsWhere(db, table, where, $)
      .orderBy('seq', 'desc')
      .limit($.limit as never);
    if ($.beforeId === undefined) return rows;
    return rows.where('seq', '<', (eb) => {
      let last = eb
        .selectFrom(`${table.name} as last` as 'agents as last')
        .select('last.seq')
        .where('last.id', '=', $.beforeId as never);
      for (const [column, mark] of markedColumns(table, where, $))
        last = last.where(`last.${column}` as 'last.id', '=', mark);
      return last;
    });
  });
  return async (run, values, { beforeId, limit }) => {
    const params = { ...toStored(values), beforeId, limit } as unknown as Marks;
    const rows = await run.all(query(params), params);
    return rows.map((row) => table.toObject(row as never));
  };
}

export type Rows<N extends TableName> = SelectQueryBuilder<Database, N, Selectable<Database[N]>>;

/**
 * A query for whole rows with its own conditions, which may depend on the given parameters. `toObject` replaces the
 * table's mapping.
 */
export function rowsOf<N extends TableName, C extends Columns, P extends object, T = ObjectOf<C>>(
  table: Table<N, C>,
  which: (rows: Rows<N>, $: P) => Compilable<Selectable<Database[N]>>,
  toObject: (row: RowOf<C>) => T = table.toObject as (row: RowOf<C>) => T,
): {
  first(run: QueryRunner, params: P): Promise<T | undefined>;
  all(run: QueryRunner, params: P): Promise<T[]>;
} {
  const query = prepareGiven((db, $: P) => which(selected(db, table) as unknown as Rows<N>, $));
  return {
    async first(run, params) {
      const row = await run.first(query(params), params);
      return row && toObject(row as never);
    },
    all: async (run, params) => (await run.all(query(params), params)).map((row) => toObject(row as never)),
  };
}

/** Counts rows by the query's own conditions. */
export function countOf<N extends TableName, C extends Columns, P extends object>(
  table: Table<N, C>,
  which: (rows: Counted<N>, $: P) => Compilable<{ count: number }>,
): (run: QueryRunner, params: P) => Promise<number> {
  const query = prepareGiven((db, $: P) => {
    const rows = db.selectFrom(table.name as 'agents').select((eb) => eb.fn.countAll<number>().as('count'));
    return which(rows as unknown as Counted<N>, $);
  });
  return async (run, params) => (await run.first(query(params), params))?.count ?? 0;
}

type Counted<N extends TableName> = SelectQueryBuilder<Database, N, { count: number }>;

function rowsWhere<N extends TableName, C extends Columns>(
  db: Kysely<Database>,
  table: Table<N, C>,
  where: readonly string[],
  $: Marks,
) {
  let rows = selected(db, table);
  for (const [column, mark] of markedColumns(table, where, $)) rows = rows.where(column, '=', mark);
  return rows;
}

function selected<N extends TableName, C extends Columns>(db: Kysely<Database>, table: Table<N, C>) {
  return db.selectFrom(table.name as 'agents').select(table.names as (keyof Database['agents'])[]);
}

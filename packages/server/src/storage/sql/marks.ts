/** Shared by statements derived from a table: how they name its properties, and what marks the place of a value. */
import type { Columns, Table, ValuesOf } from './table.ts';
import type { Database } from './tables.ts';

export type TableName = keyof Database;

export type PropertyOf<C extends Columns> = keyof ValuesOf<C> & string;

export type Values<C extends Columns, K extends PropertyOf<C>> = Pick<ValuesOf<C>, K>;

/** Mark the places of parameters, by property or column. */
export type Marks = Readonly<Record<string, never>>;

/** Columns with the marks of their properties. */
export function markedColumns<N extends TableName, C extends Columns>(
  table: Table<N, C>,
  where: readonly string[],
  $: Marks,
): ['id', never][] {
  return table.naming(where).columns.map((column, index) => [column as 'id', $[where[index] ?? ''] as never]);
}

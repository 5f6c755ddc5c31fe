import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { SqlValue } from '../sql/column.ts';
import type { CompiledForm } from '../sql/prepared-query.ts';

type RowObject = Record<string, SqlValue>;

/**
 * Makes row objects of one shape for these columns. Compiled, because an object that gets so many members one by one
 * becomes a hash table, which makes every read a look-up.
 */
function rowMaker(columns: readonly string[]): (values: readonly SqlValue[]) => RowObject {
  const properties = columns.map((column, index) => `${JSON.stringify(column)}: values[${index}]`);
  return new Function('values', `return { ${properties.join(', ')} };`) as (
    values: readonly SqlValue[],
  ) => RowObject;
}

/** A prepared statement with named parameters that returns its rows as objects. */
export class BoundStatement {
  readonly form: CompiledForm;
  readonly #statement: StatementSync;
  readonly #columns: number;
  readonly #toRow: (values: readonly SqlValue[]) => RowObject;

  constructor(database: DatabaseSync, form: CompiledForm) {
    this.form = form;
    this.#statement = database.prepare(form.sql);
    const columns = this.#statement.columns().map((column) => column.name);
    this.#columns = columns.length;
    this.#toRow = rowMaker(columns);
    // The objects that node:sqlite makes share no shape. For a wide row it is cheaper to turn an array into an object
    // here.
    this.#statement.setReturnArrays(true);
  }

  all(params: object): RowObject[] {
    this.#assertReads();
    const rows: unknown = this.#statement.all(...this.form.bind(params));
    return (rows as SqlValue[][]).map((values) => this.#toObject(values));
  }

  first(params: object): RowObject | undefined {
    this.#assertReads();
    const values: unknown = this.#statement.get(...this.form.bind(params));
    return values === undefined ? undefined : this.#toObject(values as SqlValue[]);
  }

  /** Returns how many rows it changed. */
  change(params: object): number {
    return Number(this.#statement.run(...this.form.bind(params)).changes);
  }

  /** Every change must go through `change`. Otherwise it would not be undone when its work is refused. */
  #assertReads(): void {
    if (!this.form.onlyReads) throw new Error('only `change` runs a statement that writes');
  }

  #toObject(values: readonly SqlValue[]): RowObject {
    // A newer release may have added columns meanwhile. Values must never end up in other columns.
    if (values.length !== this.#columns)
      throw new Error('the schema has changed since the database was opened');
    return this.#toRow(values);
  }
}

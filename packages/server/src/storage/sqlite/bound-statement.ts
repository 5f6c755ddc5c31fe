import type { DatabaseSync, StatementSync } from 'node:sqlite';
import type { CompiledForm, SqlValue } from '../sql/prepared-query.ts';

type RowObject = Record<string, SqlValue>;

/** A prepared statement that takes its parameters by name and gives its rows as objects. */
export class BoundStatement {
  readonly #form: CompiledForm;
  readonly #statement: StatementSync;
  readonly #columns: readonly string[];

  constructor(database: DatabaseSync, form: CompiledForm) {
    this.#form = form;
    this.#statement = database.prepare(form.sql);
    this.#columns = this.#statement.columns().map((column) => column.name);
    // The objects that node:sqlite makes have no shared shape, so every read of a member is a slow look-up: a wide row
    // costs less as an array made into an object here.
    this.#statement.setReturnArrays(true);
  }

  all(params: object): RowObject[] {
    const rows: unknown = this.#statement.all(...this.#form.bind(params));
    return (rows as SqlValue[][]).map((values) => this.#toObject(values));
  }

  first(params: object): RowObject | undefined {
    const values: unknown = this.#statement.get(...this.#form.bind(params));
    return values === undefined ? undefined : this.#toObject(values as SqlValue[]);
  }

  /** How many rows it changed. */
  change(params: object): number {
    return Number(this.#statement.run(...this.#form.bind(params)).changes);
  }

  #toObject(values: readonly SqlValue[]): RowObject {
    const columns = this.#columns;
    // A newer release may have added columns underneath us; values must never slip into other columns.
    if (values.length !== columns.length)
      throw new Error('the schema has changed since the database was opened');
    const row: RowObject = {};
    for (let index = 0; index < columns.length; index++) {
      row[columns[index] as string] = values[index] as SqlValue;
    }
    return row;
  }
}

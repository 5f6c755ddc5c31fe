/** A migration is a list of steps that can run while a large database is in use. */
import type { Dialect } from '../sql/table.ts';

/**
 * SQL with placeholders such as `{text}` for words that differ between the databases. Where more differs, the SQL is
 * given per database, or for only one.
 */
export type Sql = string | Readonly<Partial<Record<Dialect, string>>>;

export type Step =
  /** Holds its lock briefly, and yields to transactions that hold the table longer. */
  | { readonly statement: Sql }
  /** @example { index: 'agents_by_team', on: 'agents (project_id, team)' } */
  | { readonly index: string; readonly on: Sql }
  /**
   * Sets `set` in the rows that match `where`, which then no longer match. Runs in pieces, by a unique and indexed
   * column.
   *
   * @example { fill: 'agents', by: 'id', set: "team = 'none'", where: 'team is null' }
   */
  | { readonly fill: string; readonly by: string; readonly set: string; readonly where: string };

export interface Migration {
  /** The oldest schema version whose release may serve the database from the first step on. */
  readonly servesFrom: number;
  readonly steps: readonly Step[];
}

const WORDS: Readonly<Record<string, Readonly<Record<Dialect, string>>>> = {
  // Text sorts by its bytes, whatever the database's language.
  text: { sqlite: 'text', postgres: 'text collate "C"' },
  integer: { sqlite: 'integer', postgres: 'bigint' },
  strict: { sqlite: 'strict', postgres: '' },
};

/** The text for this dialect. Empty when the SQL is only for the other dialect. */
export function inWordsOf(dialect: Dialect, sql: Sql): string {
  const text = typeof sql === 'string' ? sql : (sql[dialect] ?? '');
  return text.replace(/\{(text|integer|strict)\}/g, (_, word: string) => WORDS[word]?.[dialect] ?? '');
}

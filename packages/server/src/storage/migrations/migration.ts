/** A migration is a list of steps that can run while a large database is in use. */
import type { Dialect } from '../sql/table.ts';

/** With placeholders for what the databases call differently: `{text}`. Other differences are written for each database, or for one alone. */
export type Sql = string | Readonly<Partial<Record<Dialect, string>>>;

export type Step =
  /** Holds its lock briefly, and gives way to transactions that hold the table longer. */
  | { readonly statement: Sql }
  /** @example { index: 'agents_by_team', on: 'agents (project_id, team)' } */
  | { readonly index: string; readonly on: Sql }
  /**
   * Sets `set` in the rows that match `where`, which then no longer match; in pieces, by a column that is unique and indexed.
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
  // Text sorts by its bytes, whatever language the database was made for.
  text: { sqlite: 'text', postgres: 'text collate "C"' },
  integer: { sqlite: 'integer', postgres: 'bigint' },
  strict: { sqlite: 'strict', postgres: '' },
};

/** The text for one of the databases; empty where it is for the other alone. */
export function inWordsOf(dialect: Dialect, sql: Sql): string {
  const text = typeof sql === 'string' ? sql : (sql[dialect] ?? '');
  return text.replace(/\{(text|integer|strict)\}/g, (_, word: string) => WORDS[word]?.[dialect] ?? '');
}

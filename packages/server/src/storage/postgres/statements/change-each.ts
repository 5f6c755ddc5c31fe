import type { PostgresConnection } from '../connections/connection.ts';
import { NUMBER, type Statement } from './statements.ts';

/** Longest text to send in a JSON list. Writing and parsing longer ones takes more time than a separate statement. */
const LONG = 10_000;

/**
 * Sends one change per set of parameters, as one statement if such a form exists. Returns the list positions of changes
 * that did not affect exactly one row. Undefined when some did not, and it is unknown which.
 */
export async function changeEach(
  connection: PostgresConnection,
  statement: Statement,
  list: readonly object[],
): Promise<number[] | undefined> {
  if (list.length > 1 && statement.hasMany && !list.some(isLong)) {
    const { rowCount, rows } = await connection.send(statement.many(list)).catch((error: unknown) => {
      statement.refused(error);
      throw error;
    });
    if (rowCount === list.length && rows.length === 0) return [];
    const met = new Set(rows.map((row) => row[NUMBER]));
    return met.size === rowCount ? [...list.keys()].filter((index) => !met.has(index + 1)) : undefined;
  }
  const sent = list.map((params) => connection.send(statement.one(params)));
  const answers = await Promise.all(sent);
  return [...list.keys()].filter((index) => answers[index]?.rowCount !== 1);
}

function isLong(params: object): boolean {
  return Object.values(params).some((value) => typeof value === 'string' && value.length > LONG);
}

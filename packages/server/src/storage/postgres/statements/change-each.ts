import type { PostgresConnection } from '../connections/connection.ts';
import type { Statement } from './statements.ts';

/** Of a text: to write it into a JSON list and read it there takes longer than a statement of its own. */
const LONG = 10_000;

/** Sends a change for each of these parameters, as one statement where there is such a form: whether each met one row. */
export async function changeEach(
  connection: PostgresConnection,
  statement: Statement,
  list: readonly object[],
): Promise<boolean> {
  if (list.length > 1 && statement.hasMany && !list.some(isLong)) {
    const { rowCount } = await connection.send(statement.many(list)).catch((error: unknown) => {
      statement.refused(error);
      throw error;
    });
    return rowCount === list.length;
  }
  const sent = list.map((params) => connection.send(statement.one(params)));
  return (await Promise.all(sent)).every(({ rowCount }) => rowCount === 1);
}

function isLong(params: object): boolean {
  return Object.values(params).some((value) => typeof value === 'string' && value.length > LONG);
}

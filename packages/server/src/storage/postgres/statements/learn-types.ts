import type { PostgresConnection } from '../connections/connection.ts';
import type { Statement } from './statements.ts';

/** Asked behind the first run of a statement, which has prepared it; whoever runs it for many next has the answer. */
export function learnTypes(connection: PostgresConnection, statement: Statement): void {
  if (statement.hasMany !== undefined) return;
  connection
    .send(statement.askTypes)
    .then(({ rows }) => {
      const [found] = rows as { types: string }[];
      if (found) statement.learn(found.types === '' ? [] : found.types.split(','));
    })
    // What failed is told by the statements before it.
    .catch(() => {});
}

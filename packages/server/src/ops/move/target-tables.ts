import type { ClientBase } from 'pg';

export interface TargetTable {
  name: string;
  columns: readonly { name: string; type: string }[];
  /** Columns whose numbers the database assigns. */
  identities: readonly string[];
}

/** The tables of the connection's schema. A table comes after the tables that it refers to. */
export async function listTargetTables(client: ClientBase): Promise<readonly TargetTable[]> {
  const { rows } = await client.query<{ table: string; column: string; type: string; identity: string }>(`
    select table_name as "table", column_name as "column", data_type as type, is_identity as identity
    from information_schema.columns
    where table_schema = current_schema()
    order by table_name, ordinal_position`);
  const tables = new Map<
    string,
    { name: string; columns: { name: string; type: string }[]; identities: string[] }
  >();
  for (const { table, column, type, identity } of rows) {
    const found = tables.get(table) ?? { name: table, columns: [], identities: [] };
    tables.set(table, found);
    found.columns.push({ name: column, type });
    if (identity === 'YES') found.identities.push(column);
  }
  const references = await client.query<{ from: string; to: string }>(`
    select c.relname as "from", r.relname as "to"
    from pg_constraint
    join pg_class as c on c.oid = conrelid
    join pg_class as r on r.oid = confrelid
    where contype = 'f' and connamespace = current_schema()::regnamespace and conrelid <> confrelid`);
  return inOrder([...tables.values()], references.rows);
}

function inOrder(
  tables: readonly TargetTable[],
  references: readonly { from: string; to: string }[],
): readonly TargetTable[] {
  const ordered: TargetTable[] = [];
  const left = new Set(tables);
  while (left.size > 0) {
    const ready = [...left].filter(
      ({ name }) =>
        !references.some(({ from, to }) => from === name && [...left].some((other) => other.name === to)),
    );
    if (ready.length === 0) throw new Error('the tables refer to one another in a circle');
    for (const table of ready) left.delete(table);
    ordered.push(...ready);
  }
  return ordered;
}

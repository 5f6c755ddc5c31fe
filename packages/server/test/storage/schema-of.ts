/**
 * Everything that a database says about its tables, one line per fact. Columns may be in any order, because migrations
 * add them.
 */
import type { DatabaseSync } from 'node:sqlite';
import type { Client } from 'pg';

const RECORD = 'permitry_migrations';

export function schemaOfSqlite(database: DatabaseSync): string[] {
  const made = database.prepare('select type, name, sql from sqlite_schema where sql is not null').all();
  return made
    .filter(({ name }) => name !== RECORD)
    .flatMap(({ type, name, sql }) => {
      const text = String(sql).replace(/\s+/g, ' ');
      if (type !== 'table') return [text];
      const [, inside = '', after] = /^.*?\((.*)\)(.*)$/.exec(text) ?? [];
      return [`${name}:${after}`, ...partsOf(inside).map((part) => `${name}: ${part}`)];
    })
    .toSorted();
}

/** Splits at commas outside parentheses. */
function partsOf(inside: string): string[] {
  const parts = [''];
  let depth = 0;
  for (const letter of inside) {
    if (letter === '(') depth += 1;
    if (letter === ')') depth -= 1;
    if (letter === ',' && depth === 0) parts.push('');
    else parts.push((parts.pop() ?? '') + letter);
  }
  return parts.map((part) => part.trim());
}

export async function schemaOfPostgres(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ fact: string }>(
    `
    with ours as (
      select oid, relname, reloptions from pg_class
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and relname <> $1
    )
    select concat_ws(' ', relname, 'with', array_to_string(array(select unnest(reloptions) order by 1), ', ')) as fact from ours
    union all
    select concat_ws(' ', relname || '.' || attname, format_type(atttypid, atttypmod), collname,
      case when attnotnull then 'not null' end, nullif(attidentity, ''), pg_get_expr(adbin, adrelid))
    from ours
      join pg_attribute on attrelid = ours.oid and attnum > 0 and not attisdropped
      left join pg_attrdef on adrelid = attrelid and adnum = attnum
      left join pg_collation on pg_collation.oid = attcollation
    union all
    select concat_ws(' ', relname, pg_get_constraintdef(pg_constraint.oid)) from ours join pg_constraint on conrelid = ours.oid
    union all
    select concat_ws(' ', pg_get_indexdef(indexrelid), case when not indisvalid then 'invalid' end)
    from ours join pg_index on indrelid = ours.oid
    union all
    select pg_get_functiondef(oid) from pg_proc where pronamespace = current_schema()::regnamespace`,
    [RECORD],
  );
  return rows.map(({ fact }) => fact).toSorted();
}

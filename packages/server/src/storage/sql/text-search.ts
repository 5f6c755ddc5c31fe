/** Owns the search for a text in rows that may be long, in steps of bounded size. */
import { type RawBuilder, sql } from 'kysely';
import { prepare, type QueryRunner } from './prepared-query.ts';

/** The most rows that one step of a search examines: a few milliseconds, even if every text has the maximum length. */
const STEP_ROWS = 500;
const STEP_BYTES = 256 * 1024;

export function holdsText(column: string, text: string) {
  return sql<boolean>`instr(lower(${sql.ref(column)}), ${text}) > 0`;
}

export function startsWith(column: string, prefix: string) {
  return sql<boolean>`substr(${sql.ref(column)}, 1, length(${prefix})) = ${prefix}`;
}

/** Reads only the length, and not the text. */
export function sizeOf(column: string) {
  return sql<number>`octet_length(${sql.ref(column)})`;
}

/**
 * Walks through the rows of a table in steps, from the row after `after` to `through`. A step with more than one row
 * has at most STEP_BYTES of texts. The next step begins after `next`; null: there are no more rows.
 *
 * @param bytes The length of a row's texts.
 */
export function stepsThrough(
  table: 'intents' | 'idempotency_records' | 'connector_requests',
  bytes: RawBuilder<number>,
): (run: QueryRunner, after: number) => Promise<{ through: number; next: number | null }> {
  const listSizes = prepare((db, $: { after: number; limit: number }) =>
    db
      .selectFrom(table as 'intents')
      .select(['seq', bytes.as('bytes')])
      .where('seq', '>', $.after)
      .orderBy('seq')
      .limit($.limit),
  );
  return async (run, after) => {
    const rows = await run.all(listSizes, { after, limit: STEP_ROWS });
    let sum = 0;
    const more = rows.findIndex((row, index) => {
      sum += row.bytes;
      return index > 0 && sum > STEP_BYTES;
    });
    const through = (more < 0 ? rows.at(-1) : rows[more - 1])?.seq ?? after;
    return { through, next: more < 0 && rows.length < STEP_ROWS ? null : through };
  };
}

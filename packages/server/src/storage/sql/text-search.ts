/** Owns how a text is looked for in rows that may be long, in steps of bounded size. */
import { type RawBuilder, sql } from 'kysely';
import { prepare, type QueryRunner } from './prepared-query.ts';

/** What one step of a search looks through at most: a few milliseconds, also where every text is as long as it may be. */
const STEP_ROWS = 500;
const STEP_BYTES = 256 * 1024;

export function holdsText(column: string, text: string) {
  return sql<boolean>`instr(lower(${sql.ref(column)}), ${text}) > 0`;
}

export function startsWith(column: string, prefix: string) {
  return sql<boolean>`substr(${sql.ref(column)}, 1, length(${prefix})) = ${prefix}`;
}

/** The length alone is read, and not the text. */
export function sizeOf(column: string) {
  return sql<number>`octet_length(${sql.ref(column)})`;
}

/**
 * Through the rows of a table, as many at a time as one step takes, and at least one: from the one behind `after` to
 * `through`; the next step is from `next` on, null after the last.
 *
 * @param bytes How long the texts of a row are.
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

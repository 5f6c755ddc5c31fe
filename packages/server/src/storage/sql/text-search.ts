/** Owns how a text is looked for in rows that may be long, in steps of bounded size. */
import { sql } from 'kysely';

/** What one step of a search looks through at most: a few milliseconds, also where every text is as long as it may be. */
export const TEXT_SEARCH_STEP = 500;
const STEP_BYTES = 256 * 1024;

export function holdsText(column: string, text: string) {
  return sql<boolean>`instr(lower(${sql.ref(column)}), ${text}) > 0`;
}

/** The length alone is read, and not the text. */
export function sizeOf(column: string) {
  return sql<number>`octet_length(${sql.ref(column)})`;
}

/** As many of the next rows as one step takes, and at least one. */
export function stepOf(
  rows: readonly { seq: number; bytes: number }[],
  after: number,
): { through: number; next: number | null } {
  let bytes = 0;
  const more = rows.findIndex((row, index) => {
    bytes += row.bytes;
    return index > 0 && bytes > STEP_BYTES;
  });
  const through = (more < 0 ? rows.at(-1) : rows[more - 1])?.seq ?? after;
  return { through, next: more < 0 && rows.length < TEXT_SEARCH_STEP ? null : through };
}

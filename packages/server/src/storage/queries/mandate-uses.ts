/** Owns how uses of a mandate are counted, in one conditional update. */
import { type Expression, type Kysely, type SqlBool, sql } from 'kysely';
import type { EntryCount, MandateUseReader, MandateUseWriter } from '../../gate/mandates/mandate-uses.ts';
import { type OverRunner, prepare } from '../sql/prepared-query.ts';
import { type Database, mandateEntries } from '../sql/tables.ts';
import { change, insertInto } from '../sql/write-statements.ts';

/** The places of amounts in a row. */
const PLACES = [1, 2, 3, 4] as const;

const insert = insertInto(mandateEntries);

/** Amounts are decimal texts. A place that the entry does not use gets '0', and has no limits. */
type UseParams = { mandateId: string; entry: number; day: string } & Record<
  `amount${(typeof PLACES)[number]}`,
  string
>;

/** What the day holds before this use. Another day begins at 0, and an earlier one counts in the row's. */
function ofDay(column: string, day: string) {
  return sql<number>`case when ${day} > day then 0 else ${sql.ref(column)} end`;
}

function amount($: UseParams, place: (typeof PLACES)[number]) {
  return sql<string>`cast(${$[`amount${place}`]} as bigint)`;
}

const count = change((db, $: UseParams) => {
  const sums = PLACES.flatMap((place) => [
    {
      sum: `total_${place}`,
      limit: `total_limit_${place}`,
      next: sql`${sql.ref(`total_${place}`)} + ${amount($, place)}`,
    },
    {
      sum: `day_total_${place}`,
      limit: `day_limit_${place}`,
      next: sql`${ofDay(`day_total_${place}`, $.day)} + ${amount($, place)}`,
    },
  ]);
  // A sum without a limit stays 0, so that no sum can grow beyond its limit and then beyond 2^63.
  const set = sums.map(({ sum, limit, next }) => [
    sum,
    sql`case when ${sql.ref(limit)} is null then 0 else ${next} end`,
  ]);
  return db
    .updateTable('mandate_entries')
    .set((eb) => ({
      uses: eb('uses', '+', 1),
      day_uses: sql<number>`${ofDay('day_uses', $.day)} + 1`,
      day: sql<string>`case when ${$.day} > day then ${$.day} else day end`,
      ...Object.fromEntries(set),
    }))
    .where('mandate_id', '=', $.mandateId)
    .where('entry', '=', $.entry)
    .where((eb) =>
      eb.and([
        eb('uses', '<', eb.ref('uses_limit')),
        within(sql`${ofDay('day_uses', $.day)} + 1`, 'uses_per_day'),
        ...sums.map(({ limit, next }) => within(next, limit)),
      ]),
    );
});

/** Without a limit, everything is. */
function within(sum: Expression<unknown>, limit: string) {
  return sql<SqlBool>`(${sql.ref(limit)} is null or ${sum} <= ${sql.ref(limit)})`;
}

/** Sums beyond 2^53 are only exact as text. */
function asText(column: string) {
  return sql<string>`cast(${sql.ref(column)} as text)`.as(column);
}

function counts(db: Kysely<Database>) {
  return db
    .selectFrom('mandate_entries')
    .select(['entry', 'uses', 'day', 'day_uses'])
    .select(PLACES.flatMap((place) => [asText(`total_${place}`), asText(`day_total_${place}`)]))
    .select(
      PLACES.map((place) =>
        sql<number>`case when coalesce(${sql.ref(`total_limit_${place}`)}, ${sql.ref(`day_limit_${place}`)}) is null then 0 else 1 end`.as(
          `counts_${place}`,
        ),
      ),
    );
}

const listCounts = prepare((db, $: { mandateId: string }) =>
  counts(db).where('mandate_id', '=', $.mandateId).orderBy('entry'),
);

const findCount = prepare((db, $: { mandateId: string; entry: number }) =>
  db
    .selectFrom('mandate_entries')
    .select(['uses', 'day'])
    .where('mandate_id', '=', $.mandateId)
    .where('entry', '=', $.entry),
);

export const mandateUseQueries: OverRunner<MandateUseReader & MandateUseWriter> = {
  async listMandateCounts(run, mandateId) {
    const rows = await run.all(listCounts, { mandateId });
    return rows.map((row): EntryCount => {
      const values = row as unknown as Record<string, string>;
      const counted = PLACES.filter((place) => Number(values[`counts_${place}`]) === 1);
      return {
        entry: row.entry,
        uses: row.uses,
        day: row.day === '' ? null : row.day,
        usesOfDay: row.day_uses,
        amounts: counted.map((place) => ({
          total: BigInt(values[`total_${place}`] ?? 0),
          ofDay: BigInt(values[`day_total_${place}`] ?? 0),
        })),
      };
    });
  },

  async insertMandateEntry(run, { amounts, uses, ...entry }) {
    const at = (place: number) => amounts[place - 1] ?? { total: null, perDay: null };
    await insert(run, {
      ...entry,
      usesLimit: uses,
      totalLimit1: at(1).total,
      dayLimit1: at(1).perDay,
      totalLimit2: at(2).total,
      dayLimit2: at(2).perDay,
      totalLimit3: at(3).total,
      dayLimit3: at(3).perDay,
      totalLimit4: at(4).total,
      dayLimit4: at(4).perDay,
    });
  },

  // On SQLite writers queue anyway: each locks the whole database.
  async lockMandates() {},

  async countMandateUse(run, { mandateId, entry, day, amounts }) {
    const [amount1 = 0n, amount2 = 0n, amount3 = 0n, amount4 = 0n] = amounts;
    const params = {
      mandateId,
      entry,
      day,
      amount1: String(amount1),
      amount2: String(amount2),
      amount3: String(amount3),
      amount4: String(amount4),
    };
    if ((await count(run, params)) === 0) return undefined;
    const row = await run.first(findCount, { mandateId, entry });
    return row && { n: row.uses, day: row.day };
  },
};

import type { BudgetAnswer, BudgetAsk, BudgetBook, BudgetGrant } from '../../gate/limits/budget-book.ts';
import type { Pool } from './connections/pool.ts';
import { toGateError } from './postgres-error.ts';

const MINUTE_MS = 60_000;
/** Minutes kept before the current one, for delayed statements and for operators who investigate. */
const KEPT_MINUTES = 2;

/**
 * One statement that commits on its own, so only gates that ask for the same bucket wait for each other. When two gates
 * ask at the same time, the second locks the row and reads it again (READ COMMITTED). So together they never take more
 * than is left. Rows are locked in one order, so that two gates never deadlock.
 */
const TAKE = {
  name: 'take budgets',
  text: `
with time as (
  select coalesce($2::bigint, (extract(epoch from clock_timestamp()) * 1000)::bigint) as ms
), asked as (
  select bucket, ms / ${MINUTE_MS} as minute, least(want, "limit") as want, "limit"
  from json_to_recordset($1::json) as ask (bucket text, "limit" bigint, want bigint, minute bigint), time
  where coalesce(ask.minute, ms / ${MINUTE_MS}) = ms / ${MINUTE_MS}
), changed as (
  insert into rate_budgets as known (bucket, minute, granted, last_grant, most)
  select bucket, minute, greatest(want, 0), want, "limit" from asked order by bucket collate "C"
  on conflict (minute, bucket) do update set (granted, last_grant, most) = (
    select known.granted + change, change, excluded.most
    from (select case
      when excluded.last_grant > 0
        then greatest(least(excluded.last_grant, excluded.most - known.granted), 0)
      else greatest(excluded.last_grant, -known.granted)
    end as change) as given
  )
  returning bucket, granted, last_grant
)
select time.ms, changed.bucket, changed.granted, changed.last_grant from time left join changed on true`,
};

const FORGET = { name: 'forget budgets', text: 'delete from rate_budgets where minute < $1' };

interface BudgetRow {
  ms: number;
  bucket: string | null;
  granted: number;
  last_grant: number;
}

/** The remaining budgets that gates share: rows by bucket and minute. Taking budget also deletes old rows. */
export class PostgresBudgets implements BudgetBook {
  readonly #pool: Pool;
  readonly #nowMs: (() => number) | null;
  #forgottenIn = 0;

  /**
   * @param pool Separate connections, so that a request waiting to be counted does not queue behind requests already
   * counted.
   * @param nowMs Replaces the database's clock in tests.
   */
  constructor(pool: Pool, nowMs: (() => number) | null = null) {
    this.#pool = pool;
    this.#nowMs = nowMs;
  }

  async take(asks: readonly BudgetAsk[]): Promise<BudgetAnswer> {
    const rows = await this.#run<BudgetRow>(TAKE, [JSON.stringify(asks), this.#nowMs?.() ?? null]);
    const nowMs = Number(rows[0]?.ms);
    const minute = Math.floor(nowMs / MINUTE_MS);
    if (minute !== this.#forgottenIn) {
      this.#forgottenIn = minute;
      // A failure does not matter, because the first call of the next minute deletes these rows too.
      this.#run(FORGET, [minute - KEPT_MINUTES]).catch(() => undefined);
    }
    const grants = new Map<string, BudgetGrant>();
    for (const { bucket, granted, last_grant } of rows) {
      if (bucket !== null) grants.set(bucket, { granted: Number(last_grant), taken: Number(granted) });
    }
    return { nowMs, grants };
  }

  async #run<R>(statement: { name: string; text: string }, values: (string | number | null)[]): Promise<R[]> {
    try {
      return await this.#pool.use(async (to) => (await to.send({ ...statement, values })).rows as R[]);
    } catch (error) {
      throw toGateError(error);
    }
  }
}

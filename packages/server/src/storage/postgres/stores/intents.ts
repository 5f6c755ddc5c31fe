/**
 * Due intents are claimed row by row, so that no gate waits for another. Many intents are looked up in one statement.
 * Equal requests have no row in common, so an advisory lock on their common members protects them.
 */
import { sql } from 'kysely';
import type { Intent, IntentReader, IntentWriter } from '../../../gate/intents/intent.ts';
import { dueIntent } from '../../queries/intents.ts';
import { type OverRunner, prepare } from '../../sql/prepared-query.ts';

const PENDING = sql.lit<Intent['status']>('pending');

const listResolvedIds = prepare((db, $: { ids: string }) =>
  db
    .selectFrom('intents')
    .select('id')
    .where('id', '=', sql<string>`any(cast(${$.ids} as text[]))`)
    .where('status', '!=', PENDING),
);

const claimDueRows = prepare(
  (db, $: { now: string; limit: number }) =>
    db
      .selectFrom('intents')
      .select(dueIntent.columns)
      .where('status', '=', PENDING)
      .where('expires_at', '<=', $.now)
      .orderBy('expires_at')
      .limit($.limit)
      .forUpdate()
      .skipLocked(),
  { locks: 'alone' },
);

/**
 * If two different requests hash to the same number, they wait for each other needlessly, and nothing worse happens.
 */
const takeEqualLock = prepare(
  (db, $: { equal: string }) =>
    db.selectNoFrom(sql<string>`pg_advisory_xact_lock(hashtextextended(${$.equal}, 7062))::text`.as('lock')),
  { locks: 'alone' },
);

/** Ids that need no escaping in a list. Every intent's id is one of them. */
const PLAIN = /^\w+$/;

export const postgresIntents: Partial<OverRunner<IntentReader & IntentWriter>> = {
  async listResolved(run, intentIds) {
    const ids = `{${intentIds.filter((id) => PLAIN.test(id)).join()}}`;
    return (await run.all(listResolvedIds, { ids })).map(({ id }) => id);
  },

  lockEqual: (run, { projectId, action, paramsHash }) =>
    run.first(takeEqualLock, { equal: `${projectId} ${action} ${paramsHash}` }),

  claimDueIntents: async (run, now, limit) =>
    (await run.all(claimDueRows, { now, limit })).map(dueIntent.toObject),
};

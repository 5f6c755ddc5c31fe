/**
 * Due intents are claimed row by row, so that no gate waits for another, and many are looked up at once. Equal intents
 * share no row, so a lock on their common members protects them.
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

/** Two requests whose numbers are equal wait for each other needlessly, and nothing worse. */
const takeEqualLock = prepare(
  (db, $: { equal: string }) =>
    db.selectNoFrom(sql<string>`pg_advisory_xact_lock(hashtextextended(${$.equal}, 7062))::text`.as('lock')),
  { locks: 'alone' },
);

/** Ids that can go into a list unescaped. No intent has any other. */
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

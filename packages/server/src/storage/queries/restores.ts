/** Owns the bulk changes of a gate after a restore. A statement may touch many rows, because nobody is served yet. */
import type { RestoreReader, RestoreWriter } from '../../gate/restore/restored-copy.ts';
import { type OverRunner, prepare } from '../sql/prepared-query.ts';
import { countOf } from '../sql/read-statements.ts';
import { intents } from '../sql/tables.ts';
import { change } from '../sql/write-statements.ts';
import { RECEIPT_INDEX } from './receipt-status.ts';

const countPending = countOf(intents, (rows, $: { projectId: string }) =>
  rows.where('project_id', '=', $.projectId).where('status', '=', 'pending'),
);

const listKeysInForce = prepare((db, $: { now: string }) =>
  db
    .selectFrom('api_keys')
    .select('id')
    .where('revoked_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', $.now)]))
    .orderBy('seq'),
);

const revokeUnused = change((db, $: { projectId: string; endedBy: string; revokedAt: string }) =>
  db
    .updateTable('intents')
    .set({ revoked_at: $.revokedAt })
    .where('project_id', '=', $.projectId)
    .where('status', '=', 'approved')
    .where('consumed_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', $.endedBy),
);

const skipNumbers = change((db, $: { next: number }) =>
  db
    .insertInto('counters')
    .values({ name: RECEIPT_INDEX, next: $.next })
    .onConflict((conflict) =>
      conflict.column('name').doUpdateSet({ next: $.next }).where('counters.next', '<', $.next),
    ),
);

export const restoreQueries: OverRunner<RestoreReader & RestoreWriter> = {
  countPendingIntents: (run, projectId) => countPending(run, { projectId }),

  listKeyIdsInForce: async (run, now) => (await run.all(listKeysInForce, { now })).map(({ id }) => id),

  revokeUnusedApprovals: (run, projectId, { endedBy, revokedAt }) =>
    revokeUnused(run, { projectId, endedBy, revokedAt }),

  skipToReceiptIndex: (run, index) => skipNumbers(run, { next: index }),
};

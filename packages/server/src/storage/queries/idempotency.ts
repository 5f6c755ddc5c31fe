/** Owns the remembered answers to requests that carried an Idempotency-Key. */
import {
  type IdempotencyReader,
  type IdempotencyWriter,
  UNANSWERED_STATUS,
} from '../../gate/kernel/idempotency.ts';
import type { OverRunner } from '../sql/prepared-query.ts';
import { change, guarded, insertOr, rowsOf } from '../sql/statements.ts';
import { idempotencyRecords, type NewRow } from '../sql/tables.ts';

const valid = rowsOf(idempotencyRecords, (rows, $: { scope: string; key: string; now: string }) =>
  rows.where('scope', '=', $.scope).where('key', '=', $.key).where('expires_at', '>', $.now),
);

const insertOverExpired = insertOr(idempotencyRecords, (insertion, $: { now: string }) =>
  insertion.onConflict((conflict) =>
    conflict
      .columns(['scope', 'key'])
      .doUpdateSet((eb) => ({
        body_hash: eb.ref('excluded.body_hash'),
        status: eb.ref('excluded.status'),
        body: eb.ref('excluded.body'),
        expires_at: eb.ref('excluded.expires_at'),
      }))
      .where('idempotency_records.expires_at', '<=', $.now),
  ),
);

const complete = guarded((db, $: NewRow<'idempotency_records'>) =>
  db
    .updateTable('idempotency_records')
    .set({ status: $.status, body: $.body, expires_at: $.expires_at })
    .where('scope', '=', $.scope)
    .where('key', '=', $.key)
    .where('body_hash', '=', $.body_hash)
    .where('status', '=', UNANSWERED_STATUS),
);

const deleteUnanswered = change((db, $: { scope: string; key: string }) =>
  db
    .deleteFrom('idempotency_records')
    .where('scope', '=', $.scope)
    .where('key', '=', $.key)
    .where('status', '=', UNANSWERED_STATUS),
);

const deleteExpired = change((db, $: { now: string; limit: number }) =>
  db
    .deleteFrom('idempotency_records')
    .where('seq', 'in', (eb) =>
      eb
        .selectFrom('idempotency_records as expired')
        .select('expired.seq')
        .where('expired.expires_at', '<=', $.now)
        .orderBy('expired.expires_at')
        .limit($.limit),
    ),
);

export const idempotencyReads: OverRunner<IdempotencyReader> = {
  findIdempotencyRecord: (run, scope, key, now) => valid.first(run, { scope, key, now }),
};

export const idempotencyWrites: OverRunner<IdempotencyWriter> = {
  insertIdempotencyRecord: async (run, record, now) => (await insertOverExpired(run, record, { now })) === 1,

  completeIdempotencyRecord: (run, record) => complete(run, idempotencyRecords.toRow(record)),

  async deleteUnanswered(run, scope, key) {
    await deleteUnanswered(run, { scope, key });
  },

  deleteExpiredIdempotencyRecords: (run, now, limit) => deleteExpired(run, { now, limit }),
};

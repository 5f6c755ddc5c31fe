/** Owns the remembered answers to requests that carried an Idempotency-Key. */
import {
  type IdempotencyReader,
  type IdempotencyRecord,
  type IdempotencyWriter,
  UNANSWERED_STATUS,
} from '../../gate/kernel/idempotency.ts';
import { fromJson, toJson } from '../sql/column.ts';
import { type OverRunner, prepare } from '../sql/prepared-query.ts';
import type { NewRow, Row } from '../sql/tables.ts';

const findRecord = prepare((db, $: { scope: string; key: string; now: string }) =>
  db
    .selectFrom('idempotency_records')
    .selectAll()
    .where('scope', '=', $.scope)
    .where('key', '=', $.key)
    .where('expires_at', '>', $.now),
);

const insertRecord = prepare((db, $: NewRow<'idempotency_records'> & { now: string }) =>
  db
    .insertInto('idempotency_records')
    .values({
      scope: $.scope,
      key: $.key,
      body_hash: $.body_hash,
      status: $.status,
      body: $.body,
      expires_at: $.expires_at,
    })
    .onConflict((conflict) =>
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

const completeRecord = prepare((db, $: NewRow<'idempotency_records'>) =>
  db
    .updateTable('idempotency_records')
    .set({ status: $.status, body: $.body, expires_at: $.expires_at })
    .where('scope', '=', $.scope)
    .where('key', '=', $.key)
    .where('body_hash', '=', $.body_hash)
    .where('status', '=', UNANSWERED_STATUS),
);

const deleteUnansweredRecord = prepare((db, $: { scope: string; key: string }) =>
  db
    .deleteFrom('idempotency_records')
    .where('scope', '=', $.scope)
    .where('key', '=', $.key)
    .where('status', '=', UNANSWERED_STATUS),
);

const deleteExpired = prepare((db, $: { now: string; limit: number }) =>
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
  async findIdempotencyRecord(run, scope, key, now) {
    const row = await run.first(findRecord, { scope, key, now });
    return row && toIdempotencyRecord(row);
  },
};

export const idempotencyWrites: OverRunner<IdempotencyWriter> = {
  async insertIdempotencyRecord(run, record, now) {
    return (await run.change(insertRecord, { ...toRecordRow(record), now })) === 1;
  },

  async completeIdempotencyRecord(run, record) {
    return (await run.change(completeRecord, toRecordRow(record))) === 1;
  },

  async deleteUnanswered(run, scope, key) {
    await run.change(deleteUnansweredRecord, { scope, key });
  },

  deleteExpiredIdempotencyRecords: (run, now, limit) => run.change(deleteExpired, { now, limit }),
};

function toRecordRow(record: IdempotencyRecord): NewRow<'idempotency_records'> {
  return {
    scope: record.scope,
    key: record.key,
    body_hash: record.bodyHash,
    status: record.status,
    body: toJson(record.body),
    expires_at: record.expiresAt,
  };
}

function toIdempotencyRecord(row: Row<'idempotency_records'>): IdempotencyRecord {
  return {
    scope: row.scope,
    key: row.key,
    bodyHash: row.body_hash,
    status: row.status,
    body: fromJson(row.body),
    expiresAt: row.expires_at,
  };
}

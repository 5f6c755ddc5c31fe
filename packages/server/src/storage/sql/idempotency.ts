/** Owns the remembered answers to requests that carried an Idempotency-Key. */
import type { IdempotencyReader, IdempotencyRecord, IdempotencyWriter } from '../../gate/ports.ts';
import { fromJson, toJson } from './json.ts';
import { type OverRunner, prepare } from './prepared-query.ts';
import type { NewRow, Row } from './tables.ts';

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
        .doUpdateSet({ body_hash: $.body_hash, status: $.status, body: $.body, expires_at: $.expires_at })
        .where('idempotency_records.expires_at', '<=', $.now),
    ),
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
    const row = {
      scope: record.scope,
      key: record.key,
      body_hash: record.bodyHash,
      status: record.status,
      body: toJson(record.body),
      expires_at: record.expiresAt,
      now,
    };
    return (await run.change(insertRecord, row)) === 1;
  },

  deleteExpiredIdempotencyRecords: (run, now, limit) => run.change(deleteExpired, { now, limit }),
};

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

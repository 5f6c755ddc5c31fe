/** Owns the remembered answers to requests that carried an Idempotency-Key. */
import type { IdempotencyReader, IdempotencyWriter } from '../../gate/kernel/idempotency.ts';
import { type OverRunner, prepare } from '../sql/prepared-query.ts';
import { change, rowsOf } from '../sql/statements.ts';
import { idempotencyRecords } from '../sql/tables.ts';

const living = rowsOf(idempotencyRecords, (rows, $: { scope: string; key: string; now: string }) =>
  rows.where('scope', '=', $.scope).where('key', '=', $.key).where('expires_at', '>', $.now),
);

type Insert = ReturnType<typeof idempotencyRecords.toRow> & { now: string };

const insert = prepare((db, $: Insert) =>
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
  findIdempotencyRecord: (run, scope, key, now) => living.first(run, { scope, key, now }),
};

export const idempotencyWrites: OverRunner<IdempotencyWriter> = {
  insertIdempotencyRecord: async (run, record, now) =>
    (await run.change(insert, { ...idempotencyRecords.toRow(record), now })) === 1,

  deleteExpiredIdempotencyRecords: (run, now, limit) => deleteExpired(run, { now, limit }),
};

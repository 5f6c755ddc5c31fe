/** Owns the stored answers to requests with an Idempotency-Key. */
import type { IdempotencyReader, IdempotencyWriter } from '../../gate/kernel/idempotency.ts';
import type { OverRunner } from '../sql/prepared-query.ts';
import { rowsOf } from '../sql/read-statements.ts';
import { idempotencyRecords } from '../sql/tables.ts';
import { deleteOldest, insertOr } from '../sql/write-statements.ts';

const valid = rowsOf(idempotencyRecords, (rows, $: { scope: string; key: string; now: string }) =>
  rows.where('scope', '=', $.scope).where('key', '=', $.key).where('expires_at', '>', $.now),
);

const insertOverExpired = insertOr(idempotencyRecords, (conflict, $: { now: string }) =>
  conflict
    .columns(['scope', 'key'])
    .doUpdateSet((eb) => ({
      body_hash: eb.ref('excluded.body_hash'),
      status: eb.ref('excluded.status'),
      body: eb.ref('excluded.body'),
      expires_at: eb.ref('excluded.expires_at'),
    }))
    .where('idempotency_records.expires_at', '<=', $.now),
);

export const idempotencyQueries: OverRunner<IdempotencyReader & IdempotencyWriter> = {
  findIdempotencyRecord: (run, scope, key, now) => valid.first(run, { scope, key, now }),

  insertIdempotencyRecord: async (run, record, now) => (await insertOverExpired(run, record, { now })) === 1,

  deleteExpiredIdempotencyRecords: deleteOldest(idempotencyRecords, { key: 'seq', until: 'expiresAt' }),
};

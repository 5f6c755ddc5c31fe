/** Owns the pairings: each is answered once and taken once, by guarded updates. */
import type { Pairing, PairingReader, PairingWriter } from '../../people/pairings/pairing.ts';
import { fromJson, toJson } from '../sql/column.ts';
import { type OverRunner, prepare } from '../sql/prepared-query.ts';
import type { Row } from '../sql/tables.ts';

const findRow = prepare((db, $: { deviceCodeHash: string }) =>
  db.selectFrom('pairings').selectAll().where('device_code_hash', '=', $.deviceCodeHash),
);

const findByUserCode = prepare((db, $: { userCode: string }) =>
  db.selectFrom('pairings').selectAll().where('user_code', '=', $.userCode),
);

const insertRow = prepare((db, $: Row<'pairings'>) =>
  db
    .insertInto('pairings')
    .values({
      id: $.id,
      device_code_hash: $.device_code_hash,
      user_code: $.user_code,
      purpose: $.purpose,
      name: $.name,
      rights: $.rights,
      lifetime_seconds: $.lifetime_seconds,
      jwk: $.jwk,
      address: $.address,
      status: $.status,
      interval_seconds: $.interval_seconds,
      polled_at: $.polled_at,
      user_id: $.user_id,
      device_key_id: $.device_key_id,
      created_at: $.created_at,
      expires_at: $.expires_at,
    })
    .onConflict((conflict) => conflict.doNothing()),
);

const pollRow = prepare((db, $: { id: string; at: string; notAfter: string }) =>
  db
    .updateTable('pairings')
    .set({ polled_at: $.at })
    .where('id', '=', $.id)
    .where('status', '=', 'pending')
    .where((eb) => eb.or([eb('polled_at', 'is', null), eb('polled_at', '<=', $.notAfter)])),
);

const slowRow = prepare((db, $: { id: string; intervalSeconds: number; at: string }) =>
  db
    .updateTable('pairings')
    .set({ interval_seconds: $.intervalSeconds, polled_at: $.at })
    .where('id', '=', $.id),
);

const answerRow = prepare(
  (
    db,
    $: {
      id: string;
      status: Pairing['status'];
      userId: string;
      deviceKeyId: string | null;
      now: string;
    },
  ) =>
    db
      .updateTable('pairings')
      .set({ status: $.status, user_id: $.userId, device_key_id: $.deviceKeyId })
      .where('id', '=', $.id)
      .where('status', '=', 'pending')
      .where('expires_at', '>', $.now),
);

const takeRow = prepare((db, $: { id: string; now: string }) =>
  db
    .updateTable('pairings')
    .set({ status: 'taken' })
    .where('id', '=', $.id)
    .where('status', '=', 'approved')
    .where('purpose', '=', 'token')
    .where('expires_at', '>', $.now),
);

const deleteRows = prepare((db, $: { userId: string }) =>
  db.deleteFrom('pairings').where('user_id', '=', $.userId),
);

const deleteOld = prepare((db, $: { now: string; limit: number }) =>
  db
    .deleteFrom('pairings')
    .where('id', 'in', (eb) =>
      eb.selectFrom('pairings as old').select('old.id').where('old.expires_at', '<=', $.now).limit($.limit),
    ),
);

export const pairingReads: OverRunner<PairingReader> = {
  async findPairing(run, deviceCodeHash) {
    const row = await run.first(findRow, { deviceCodeHash });
    return row && toPairing(row);
  },

  async findPairingByUserCode(run, userCode) {
    const row = await run.first(findByUserCode, { userCode });
    return row && toPairing(row);
  },
};

export const pairingWrites: OverRunner<PairingWriter> = {
  insertPairing: async (run, pairing) => (await run.change(insertRow, toRow(pairing))) === 1,

  pollPairing: async (run, id, at, notAfter) => (await run.change(pollRow, { id, at, notAfter })) === 1,

  async slowPairing(run, id, intervalSeconds, at) {
    await run.change(slowRow, { id, intervalSeconds, at });
  },

  answerPairing: async (run, id, answer, now) => (await run.change(answerRow, { id, ...answer, now })) === 1,

  takePairing: async (run, id, now) => (await run.change(takeRow, { id, now })) === 1,

  async deletePairingsOf(run, userId) {
    await run.change(deleteRows, { userId });
  },

  deleteExpiredPairings: (run, now, limit) => run.change(deleteOld, { now, limit }),
};

function toRow(pairing: Pairing): Row<'pairings'> {
  return {
    id: pairing.id,
    device_code_hash: pairing.deviceCodeHash,
    user_code: pairing.userCode,
    purpose: pairing.purpose,
    name: pairing.name,
    rights: toJson(pairing.rights),
    lifetime_seconds: pairing.lifetimeSeconds,
    jwk: pairing.jwk === null ? null : toJson(pairing.jwk),
    address: pairing.address,
    status: pairing.status,
    interval_seconds: pairing.intervalSeconds,
    polled_at: pairing.polledAt,
    user_id: pairing.userId,
    device_key_id: pairing.deviceKeyId,
    created_at: pairing.createdAt,
    expires_at: pairing.expiresAt,
  };
}

function toPairing(row: Row<'pairings'>): Pairing {
  return {
    id: row.id,
    deviceCodeHash: row.device_code_hash,
    userCode: row.user_code,
    purpose: row.purpose,
    name: row.name,
    rights: fromJson(row.rights),
    lifetimeSeconds: row.lifetime_seconds,
    jwk: row.jwk === null ? null : fromJson(row.jwk),
    address: row.address,
    status: row.status,
    intervalSeconds: row.interval_seconds,
    polledAt: row.polled_at,
    userId: row.user_id,
    deviceKeyId: row.device_key_id,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
  };
}

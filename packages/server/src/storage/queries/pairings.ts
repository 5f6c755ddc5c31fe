/** Owns the pairings. Guarded updates let each pairing be answered once and its result be taken once. */
import type { PairingReader, PairingWriter } from '../../people/pairings/pairing.ts';
import type { OverRunner } from '../sql/prepared-query.ts';
import { findIn } from '../sql/read-statements.ts';
import { pairings } from '../sql/tables.ts';
import {
  deleteFrom,
  deleteOldest,
  guarded,
  insertOnce,
  updateOf,
  updateWhere,
} from '../sql/write-statements.ts';

const find = findIn(pairings, 'deviceCodeHash');
const findByUserCode = findIn(pairings, 'userCode');
const slow = updateOf(pairings, { set: ['intervalSeconds', 'polledAt'], where: ['id'] });
const deleteOf = deleteFrom(pairings, 'userId');

const poll = guarded(pairings, (rows, $: { id: string; at: string; notAfter: string }) =>
  rows
    .set({ polled_at: $.at })
    .where('id', '=', $.id)
    .where('status', '=', 'pending')
    .where((eb) => eb.or([eb('polled_at', 'is', null), eb('polled_at', '<=', $.notAfter)])),
);

const answer = updateWhere(
  pairings,
  ['status', 'userId', 'deviceKeyId'],
  (rows, $: { id: string; now: string }) =>
    rows.where('id', '=', $.id).where('status', '=', 'pending').where('expires_at', '>', $.now),
);

const take = guarded(pairings, (rows, $: { id: string; now: string }) =>
  rows
    .set({ status: 'taken' })
    .where('id', '=', $.id)
    .where('status', '=', 'approved')
    .where('purpose', '=', 'token')
    .where('expires_at', '>', $.now),
);

export const pairingQueries: OverRunner<PairingReader & PairingWriter> = {
  findPairing: (run, deviceCodeHash) => find(run, { deviceCodeHash }),

  findPairingByUserCode: (run, userCode) => findByUserCode(run, { userCode }),

  insertPairing: insertOnce(pairings),

  pollPairing: (run, id, at, notAfter) => poll(run, { id, at, notAfter }),

  slowPairing: (run, id, intervalSeconds, at) => slow(run, { id, intervalSeconds, polledAt: at }),

  answerPairing: (run, id, answered, now) => answer(run, { id, ...answered, now }),

  takePairing: (run, id, now) => take(run, { id, now }),

  deletePairingsOf: (run, userId) => deleteOf(run, { userId }),

  deleteExpiredPairings: deleteOldest(pairings, { key: 'id', until: 'expiresAt' }),
};

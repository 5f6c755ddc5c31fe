/** Owns the proof sessions. Guarded updates let each session be completed once and spent once. */
import type { ProofReader, ProofWriter } from '../../gate/proof/proof-session.ts';
import { toJson } from '../sql/column.ts';
import type { OverRunner } from '../sql/prepared-query.ts';
import { findIn } from '../sql/read-statements.ts';
import { proofSessions } from '../sql/tables.ts';
import { deleteFrom, deleteOldest, guarded, insertInto } from '../sql/write-statements.ts';

const find = findIn(proofSessions, 'id');
const deleteOf = deleteFrom(proofSessions, 'userId');

const countTry = guarded(proofSessions, (rows, $: { id: string; most: number; now: string }) =>
  rows
    .set((eb) => ({ tries: eb('tries', '+', 1) }))
    .where('id', '=', $.id)
    .where('status', '=', 'pending')
    .where('tries', '<', $.most)
    .where('expires_at', '>', $.now),
);

const complete = guarded(proofSessions, (rows, $: { id: string; evidence: string; now: string }) =>
  rows
    .set({ status: 'completed', evidence: $.evidence })
    .where('id', '=', $.id)
    .where('status', '=', 'pending')
    .where('expires_at', '>', $.now),
);

// Clears the evidence, because the signature belongs to the vote from now on.
const spend = guarded(proofSessions, (rows, $: { id: string; now: string }) =>
  rows
    .set({ status: 'spent', evidence: null })
    .where('id', '=', $.id)
    .where('status', '=', 'completed')
    .where('expires_at', '>', $.now),
);

export const proofQueries: OverRunner<ProofReader & ProofWriter> = {
  findProofSession: (run, id) => find(run, { id }),

  insertProofSession: insertInto(proofSessions),

  tryProofSession: (run, id, most, now) => countTry(run, { id, most, now }),

  completeProofSession: (run, id, evidence, now) => complete(run, { id, evidence: toJson(evidence), now }),

  spendProofSession: (run, id, now) => spend(run, { id, now }),

  deleteProofSessionsOf: (run, userId) => deleteOf(run, { userId }),

  deleteExpiredProofSessions: deleteOldest(proofSessions, { key: 'id', until: 'expiresAt' }),
};

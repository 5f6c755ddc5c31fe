/** Owns the proof sessions: each is completed once and spent once, by guarded updates. */
import type { ProofReader, ProofSession, ProofWriter } from '../../gate/proof/proof-session.ts';
import { fromJson, toJson } from '../sql/column.ts';
import { type OverRunner, prepare } from '../sql/prepared-query.ts';
import type { Row } from '../sql/tables.ts';

const findRow = prepare((db, $: { id: string }) =>
  db.selectFrom('proof_sessions').selectAll().where('id', '=', $.id),
);

const insertRow = prepare((db, $: Row<'proof_sessions'>) =>
  db.insertInto('proof_sessions').values({
    id: $.id,
    user_id: $.user_id,
    credential_id: $.credential_id,
    approver: $.approver,
    intent_id: $.intent_id,
    decision: $.decision,
    method: $.method,
    nonce: $.nonce,
    exp: $.exp,
    tries: $.tries,
    status: $.status,
    evidence: $.evidence,
    expires_at: $.expires_at,
  }),
);

const tryRow = prepare((db, $: { id: string; most: number; now: string }) =>
  db
    .updateTable('proof_sessions')
    .set((eb) => ({ tries: eb('tries', '+', 1) }))
    .where('id', '=', $.id)
    .where('status', '=', 'pending')
    .where('tries', '<', $.most)
    .where('expires_at', '>', $.now),
);

const completeRow = prepare((db, $: { id: string; evidence: string; now: string }) =>
  db
    .updateTable('proof_sessions')
    .set({ status: 'completed', evidence: $.evidence })
    .where('id', '=', $.id)
    .where('status', '=', 'pending')
    .where('expires_at', '>', $.now),
);

// What was signed is the vote's from now on.
const spendRow = prepare((db, $: { id: string; now: string }) =>
  db
    .updateTable('proof_sessions')
    .set({ status: 'spent', evidence: null })
    .where('id', '=', $.id)
    .where('status', '=', 'completed')
    .where('expires_at', '>', $.now),
);

const deleteOf = prepare((db, $: { userId: string }) =>
  db.deleteFrom('proof_sessions').where('user_id', '=', $.userId),
);

const deleteOld = prepare((db, $: { now: string; limit: number }) =>
  db
    .deleteFrom('proof_sessions')
    .where('id', 'in', (eb) =>
      eb
        .selectFrom('proof_sessions as old')
        .select('old.id')
        .where('old.expires_at', '<=', $.now)
        .limit($.limit),
    ),
);

export const proofReads: OverRunner<ProofReader> = {
  async findProofSession(run, id) {
    const row = await run.first(findRow, { id });
    return row && toProofSession(row);
  },
};

export const proofWrites: OverRunner<ProofWriter> = {
  async insertProofSession(run, session) {
    await run.change(insertRow, {
      id: session.id,
      user_id: session.userId,
      credential_id: session.credentialId,
      approver: session.approver,
      intent_id: session.intentId,
      decision: session.decision,
      method: session.method,
      nonce: session.nonce,
      exp: session.exp,
      tries: session.tries,
      status: session.status,
      evidence: session.evidence === null ? null : toJson(session.evidence),
      expires_at: session.expiresAt,
    });
  },

  tryProofSession: async (run, id, most, now) => (await run.change(tryRow, { id, most, now })) === 1,

  completeProofSession: async (run, id, evidence, now) =>
    (await run.change(completeRow, { id, evidence: toJson(evidence), now })) === 1,

  spendProofSession: async (run, id, now) => (await run.change(spendRow, { id, now })) === 1,

  async deleteProofSessionsOf(run, userId) {
    await run.change(deleteOf, { userId });
  },

  deleteExpiredProofSessions: (run, now, limit) => run.change(deleteOld, { now, limit }),
};

function toProofSession(row: Row<'proof_sessions'>): ProofSession {
  return {
    id: row.id,
    userId: row.user_id,
    credentialId: row.credential_id,
    approver: row.approver,
    intentId: row.intent_id,
    decision: row.decision,
    method: row.method,
    nonce: row.nonce,
    exp: row.exp,
    tries: row.tries,
    status: row.status,
    evidence: row.evidence === null ? null : fromJson(row.evidence),
    expiresAt: row.expires_at,
  };
}

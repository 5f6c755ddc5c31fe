/** Owns the votes: one row per person and intent, in the order they were given. */
import type { Approval, ApprovalReader, ApprovalWriter } from '../../gate/approvals/approval.ts';
import { fromJson, toJson } from '../sql/column.ts';
import { type OverRunner, prepare } from '../sql/prepared-query.ts';
import type { NewRow, Row } from '../sql/tables.ts';

const listRows = prepare((db, $: { intentId: string }) =>
  db.selectFrom('approvals').selectAll().where('intent_id', '=', $.intentId).orderBy('seq'),
);

const insertRow = prepare((db, $: NewRow<'approvals'>) =>
  db
    .insertInto('approvals')
    .values({
      intent_id: $.intent_id,
      user_id: $.user_id,
      approver: $.approver,
      decision: $.decision,
      at: $.at,
      method: $.method,
      credential_id: $.credential_id,
      evidence: $.evidence,
    })
    .onConflict((conflict) => conflict.columns(['intent_id', 'user_id']).doNothing()),
);

const deleteRow = prepare((db, $: { intent_id: string; user_id: string }) =>
  db.deleteFrom('approvals').where('intent_id', '=', $.intent_id).where('user_id', '=', $.user_id),
);

export const approvalReads: OverRunner<ApprovalReader> = {
  async listApprovals(run, intentId) {
    return (await run.all(listRows, { intentId })).map(toApproval);
  },
};

export const approvalWrites: OverRunner<ApprovalWriter> = {
  async saveApproval(run, approval) {
    const row = toApprovalRow(approval);
    if ((await run.change(insertRow, row)) === 1) return;
    // A changed mind is a new row: it takes its place at the end of the order.
    await run.change(deleteRow, row);
    await run.change(insertRow, row);
  },
};

function toApprovalRow(approval: Approval): NewRow<'approvals'> {
  return {
    intent_id: approval.intentId,
    user_id: approval.userId,
    approver: approval.by,
    decision: approval.decision,
    at: approval.at,
    method: approval.method,
    credential_id: approval.credentialId,
    evidence: approval.evidence === null ? null : toJson(approval.evidence),
  };
}

function toApproval(row: Row<'approvals'>): Approval {
  return {
    intentId: row.intent_id,
    userId: row.user_id,
    by: row.approver,
    decision: row.decision,
    at: row.at,
    method: row.method,
    credentialId: row.credential_id,
    evidence: row.evidence === null ? null : fromJson(row.evidence),
  };
}

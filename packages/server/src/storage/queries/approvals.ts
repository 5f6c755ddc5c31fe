/** Owns the votes: one row per person and intent, in the order in which people voted. */
import type { ApprovalReader, ApprovalWriter } from '../../gate/approvals/approval.ts';
import type { OverRunner } from '../sql/prepared-query.ts';
import { listIn } from '../sql/read-statements.ts';
import { approvals } from '../sql/tables.ts';
import { deleteFrom, insertOnce } from '../sql/write-statements.ts';

const list = listIn(approvals, { where: ['intentId'], orderBy: 'seq' });
const insert = insertOnce(approvals, 'intentId', 'userId');
const deleteOf = deleteFrom(approvals, 'intentId', 'userId');

export const approvalQueries: OverRunner<ApprovalReader & ApprovalWriter> = {
  listApprovals: (run, intentId) => list(run, { intentId }),

  async saveApproval(run, approval) {
    if (await insert(run, approval)) return;
    // A changed vote is a new row, at the end of the order.
    await deleteOf(run, approval);
    await insert(run, approval);
  },
};

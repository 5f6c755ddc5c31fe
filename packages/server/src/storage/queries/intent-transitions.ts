/** Owns how an intent is made and changed: each transition is one guarded statement. */
import type { ReceiptContent } from '@permitry/protocol';
import type { Intent, IntentWriter } from '../../gate/intents/intent.ts';
import type { IssuedPermit } from '../../gate/tokens/issue-permit.ts';
import type { Json } from '../sql/column.ts';
import { toJson } from '../sql/column.ts';
import { type OverRunner, prepare, type QueryRunner } from '../sql/prepared-query.ts';
import { keyOf, receiptIndexOf } from '../sql/row-key.ts';
import type { NewRow, Row } from '../sql/tables.ts';
import { type IntentToInsert, toIntentRow } from './intent-row.ts';
import { intentReads } from './intents.ts';

const insertRow = prepare((db, $: IntentToInsert) =>
  db.insertInto('intents').values({
    id: $.id,
    project_key: keyOf('projects', $.project_id),
    agent_key: keyOf('agents', $.agent_id),
    project_id: $.project_id,
    status: $.status,
    revision: $.revision,
    action: $.action,
    params_hash: $.params_hash,
    intent_hash: $.intent_hash,
    source: $.source,
    source_type: $.source_type,
    risk_tier: $.risk_tier,
    proof_tier: $.proof_tier,
    requester_type: $.requester_type,
    requester_id: $.requester_id,
    requester_display: $.requester_display,
    requester_owner_id: $.requester_owner_id,
    agent_id: $.agent_id,
    requested_risk_tier: $.requested_risk_tier,
    requested_proof_tier: $.requested_proof_tier,
    min_approvals: $.min_approvals,
    decision: $.decision,
    rule: $.rule,
    policy_hash: $.policy_hash,
    permit_ttl_seconds: $.permit_ttl_seconds,
    created_at: $.created_at,
    expires_at: $.expires_at,
    approvals_received: $.approvals_received,
    approvals_required: $.approvals_required,
    resolved_at: $.resolved_at,
    resolved_by: $.resolved_by,
    reason: $.reason,
    approved_by: $.approved_by,
    approved_at: $.approved_at,
    permit_id: $.permit_id,
    receipt_index: $.receipt_index,
    consumed_at: $.consumed_at,
    consumed_by: $.consumed_by,
    revoked_at: $.revoked_at,
    outcome: $.outcome,
    outcome_at: $.outcome_at,
    approvers: $.approvers,
    requirement: $.requirement,
    approvals: $.approvals,
    metadata: $.metadata,
    params: $.params,
    asked_again_from: $.asked_again_from,
    asked_by: $.asked_by,
    risk_rated: $.risk_rated,
  }),
);

const insertIssuedRow = prepare((db, $: Row<'issued'>) =>
  db.insertInto('issued').values({
    receipt_index: $.receipt_index,
    permit_id: $.permit_id,
    token: $.token,
    issued_at: $.issued_at,
    expires_at: $.expires_at,
    receipt: $.receipt,
  }),
);

const keepSuperseded = prepare((db, $: { intentId: string }) =>
  db
    .insertInto('superseded_permits')
    .columns(['id', 'intent_key', 'token', 'issued_at', 'expires_at'])
    .expression(
      db
        .selectFrom('intents')
        .innerJoin('issued', 'issued.receipt_index', 'intents.receipt_index')
        .select(['issued.permit_id', 'intents.seq', 'issued.token', 'issued.issued_at', 'issued.expires_at'])
        .where('intents.id', '=', $.intentId),
    ),
);

type FreshPermit = { intentId: string; id: string; token: string; issuedAt: string; expiresAt: string };

const putFreshPermit = prepare((db, $: FreshPermit) =>
  db
    .updateTable('issued')
    .set({ permit_id: $.id, token: $.token, issued_at: $.issuedAt, expires_at: $.expiresAt })
    .where('receipt_index', '=', receiptIndexOf($.intentId)),
);

type TouchParams = {
  id: string;
  revision: number;
  now: string;
  received: number;
  required: number;
  approvals: Json;
};

const touchPending = prepare((db, $: TouchParams) =>
  db
    .updateTable('intents')
    .set((eb) => ({
      revision: eb('revision', '+', 1),
      approvals_received: $.received,
      approvals_required: $.required,
      approvals: $.approvals,
    }))
    .where('id', '=', $.id)
    .where('status', '=', 'pending')
    .where('revision', '=', $.revision)
    .where('expires_at', '>', $.now),
);

type ResolutionParams = Pick<
  NewRow<'intents'>,
  | 'id'
  | 'status'
  | 'reason'
  | 'approvals'
  | 'approvals_received'
  | 'approvals_required'
  | 'approved_by'
  | 'approved_at'
  | 'permit_id'
  | 'receipt_index'
  | 'denied_by'
> & { revision: number; at: string; by: string };

const resolvePending = prepare((db, $: ResolutionParams) =>
  db
    .updateTable('intents')
    .set((eb) => ({
      status: $.status,
      revision: eb('revision', '+', 1),
      resolved_at: $.at,
      resolved_by: $.by,
      reason: $.reason,
      approvals: $.approvals,
      approvals_received: $.approvals_received,
      approvals_required: $.approvals_required,
      approved_by: $.approved_by,
      approved_at: $.approved_at,
      permit_id: $.permit_id,
      receipt_index: $.receipt_index,
      denied_by: $.denied_by,
    }))
    .where('id', '=', $.id)
    .where('status', '=', 'pending')
    .where('revision', '=', $.revision)
    // Expiry wins the race: an approval after it would sign a permit nobody may use.
    .where('expires_at', '>', $.at),
);

const askForMoreTime = prepare((db, $: { id: string; at: string; extension: Json }) =>
  db
    .updateTable('intents')
    .set({ extension: $.extension })
    .where('id', '=', $.id)
    .where('status', '=', 'pending')
    .where('expires_at', '>', $.at)
    .where('extension', 'is', null),
);

const expirePending = prepare((db, $: { id: string; now: string }) =>
  db
    .updateTable('intents')
    .set((eb) => ({
      status: 'expired' as const,
      revision: eb('revision', '+', 1),
      // The same answer whoever finds it, and whenever.
      resolved_at: eb.ref('expires_at'),
    }))
    .where('id', '=', $.id)
    .where('status', '=', 'pending')
    .where('expires_at', '<=', $.now),
);

const renewPermit = prepare((db, $: { id: string; revision: number; permitId: string; now: string }) =>
  db
    .updateTable('intents')
    .set((eb) => ({ revision: eb('revision', '+', 1), permit_id: $.permitId }))
    .where('id', '=', $.id)
    .where('status', '=', 'approved')
    .where('revision', '=', $.revision)
    .where('consumed_at', 'is', null)
    .where('revoked_at', 'is', null)
    .where('expires_at', '>', $.now),
);

const consumeApproved = prepare((db, $: { id: string; by: string; now: string }) =>
  db
    .updateTable('intents')
    .set((eb) => ({ revision: eb('revision', '+', 1), consumed_at: $.now, consumed_by: $.by }))
    .where('id', '=', $.id)
    .where('status', '=', 'approved')
    .where('consumed_at', 'is', null)
    .where('revoked_at', 'is', null),
);

const releaseConsumed = prepare((db, $: { id: string; by: string; revision: number }) =>
  db
    .updateTable('intents')
    .set((eb) => ({ revision: eb('revision', '+', 1), consumed_at: null, consumed_by: null }))
    .where('id', '=', $.id)
    .where('consumed_by', '=', $.by)
    .where('revision', '=', $.revision)
    .where('outcome', 'is', null)
    .where('revoked_at', 'is', null)
    .where('erased_at', 'is', null),
);

const revokeApproved = prepare((db, $: { id: string; now: string }) =>
  db
    .updateTable('intents')
    .set((eb) => ({ revision: eb('revision', '+', 1), revoked_at: $.now }))
    .where('id', '=', $.id)
    .where('status', '=', 'approved')
    .where('revoked_at', 'is', null),
);

const reportConsumed = prepare(
  (db, $: { id: string; by: string; outcome: NonNullable<Intent['outcome']>; now: string }) =>
    db
      .updateTable('intents')
      .set((eb) => ({ revision: eb('revision', '+', 1), outcome: $.outcome, outcome_at: $.now }))
      .where('id', '=', $.id)
      .where('consumed_by', '=', $.by)
      .where('outcome', 'is', null),
);

export const intentWrites: OverRunner<IntentWriter> = {
  async insertIntent(run, intent) {
    await run.change(insertRow, toIntentRow(intent));
    const { permit, receipt, receiptIndex } = intent;
    if (permit && receipt && receiptIndex !== null)
      await insertIssued(run, { permit, receipt, receiptIndex });
  },

  // Here writers stand in a row: each has the lock of everything.
  async lockEqual() {},

  async touchIntent(run, id, revision, now, { received, required, approvals }) {
    const params = { id, revision, now, received, required, approvals: toJson(approvals) };
    return (await run.change(touchPending, params)) === 1;
  },

  async resolveIntent(run, id, revision, resolution) {
    const { status, at, by, reason, approvals, approvalsReceived, approvalsRequired, issued } = resolution;
    if ((status === 'approved') !== (issued !== null)) {
      throw new Error('an approved intent has a permit and a receipt, and a denied one has neither');
    }
    const resolved = await run.change(resolvePending, {
      id,
      revision,
      status,
      at,
      by,
      reason,
      approvals: toJson(approvals),
      approvals_received: approvalsReceived,
      approvals_required: approvalsRequired,
      approved_by: issued && by,
      approved_at: issued && at,
      permit_id: issued?.permit.id ?? null,
      receipt_index: issued?.receiptIndex ?? null,
      denied_by: resolution.deniedBy,
    });
    if (resolved !== 1) return false;
    if (issued) await insertIssued(run, issued);
    return true;
  },

  async requestExtension(run, id, request) {
    return (await run.change(askForMoreTime, { id, at: request.at, extension: toJson(request) })) === 1;
  },

  // Here writers stand in a row: nobody else can be at them.
  claimDueIntents: (run, now, limit) => intentReads.listDueIntents(run, now, limit),

  expireIntent: async (run, id, now) => (await run.change(expirePending, { id, now })) === 1,

  async replacePermit(run, id, revision, permit) {
    const params = { id, revision, permitId: permit.id, now: permit.issuedAt };
    if ((await run.change(renewPermit, params)) !== 1) return false;
    await run.change(keepSuperseded, { intentId: id });
    await run.change(putFreshPermit, { intentId: id, ...permit });
    return true;
  },

  consumeIntent: async (run, id, by, now) => (await run.change(consumeApproved, { id, by, now })) === 1,

  releaseIntent: async (run, id, by, revision) =>
    (await run.change(releaseConsumed, { id, by, revision })) === 1,

  revokeIntent: async (run, id, now) => (await run.change(revokeApproved, { id, now })) === 1,

  async reportOutcome(run, id, by, outcome, now) {
    return (await run.change(reportConsumed, { id, by, outcome, now })) === 1;
  },
};

async function insertIssued(
  run: QueryRunner,
  { permit, receipt, receiptIndex }: { permit: IssuedPermit; receipt: ReceiptContent; receiptIndex: number },
): Promise<void> {
  await run.change(insertIssuedRow, {
    receipt_index: receiptIndex,
    permit_id: permit.id,
    token: permit.token,
    issued_at: permit.issuedAt,
    expires_at: permit.expiresAt,
    receipt: toJson(receipt),
  });
}

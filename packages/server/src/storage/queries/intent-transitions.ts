/** Owns the creation and transitions of intents. Each transition is one guarded statement. */
import type { Outcome } from '@permitry/protocol';
import type { IntentWriter } from '../../gate/intents/intent.ts';
import type { OverRunner } from '../sql/prepared-query.ts';
import { keyOf } from '../sql/row-key.ts';
import { intents } from '../sql/tables.ts';
import { guarded, insertInto, type Update, updateWhere } from '../sql/write-statements.ts';
import { intentQueries } from './intents.ts';
import { insertIssued, replaceIssued } from './issued-permits.ts';

const insert = insertInto(intents, ($) => ({
  project_key: keyOf('projects', $.project_id),
  agent_key: keyOf('agents', $.agent_id),
}));

/** A transition: raises the revision of the intent by one. */
function transitionOf(rows: Update<'intents'>, id: string) {
  return rows.set((eb) => ({ revision: eb('revision', '+', 1) })).where('id', '=', id);
}

const touchPending = updateWhere(
  intents,
  ['approvalsReceived', 'approvalsRequired', 'approvals'],
  (rows, $: { id: string; revision: number; now: string }) =>
    transitionOf(rows, $.id)
      .where('status', '=', 'pending')
      .where('revision', '=', $.revision)
      .where('expires_at', '>', $.now),
);

const resolvePending = updateWhere(
  intents,
  [
    'status',
    'resolvedAt',
    'resolvedBy',
    'reason',
    'approvals',
    'approvalsReceived',
    'approvalsRequired',
    'approvedBy',
    'approvedAt',
    'permitId',
    'receiptIndex',
    'deniedBy',
  ],
  (rows, $: { id: string; revision: number; at: string }) =>
    transitionOf(rows, $.id)
      .where('status', '=', 'pending')
      .where('revision', '=', $.revision)
      // Expiry wins the race: an approval after the expiry would sign a permit that nobody may use.
      .where('expires_at', '>', $.at),
);

const askForMoreTime = updateWhere(intents, ['extensionRequest'], (rows, $: { id: string; at: string }) =>
  rows
    .where('id', '=', $.id)
    .where('status', '=', 'pending')
    .where('expires_at', '>', $.at)
    .where('extension_request', 'is', null),
);

const expirePending = guarded(intents, (rows, $: { id: string; now: string }) =>
  transitionOf(rows, $.id)
    // Uses the expiry as the time, so that every reader gets the same answer, whenever it reads.
    .set((eb) => ({ status: 'expired' as const, resolved_at: eb.ref('expires_at') }))
    .where('status', '=', 'pending')
    .where('expires_at', '<=', $.now),
);

const renewPermit = guarded(
  intents,
  (rows, $: { id: string; revision: number; permitId: string; now: string }) =>
    transitionOf(rows, $.id)
      .set({ permit_id: $.permitId })
      .where('status', '=', 'approved')
      .where('revision', '=', $.revision)
      .where('consumed_at', 'is', null)
      .where('revoked_at', 'is', null)
      .where('expires_at', '>', $.now),
);

const consumeApproved = guarded(intents, (rows, $: { id: string; by: string; now: string }) =>
  transitionOf(rows, $.id)
    .set({ consumed_at: $.now, consumed_by: $.by })
    .where('status', '=', 'approved')
    .where('consumed_at', 'is', null)
    .where('revoked_at', 'is', null),
);

const releaseConsumed = guarded(intents, (rows, $: { id: string; by: string; revision: number }) =>
  transitionOf(rows, $.id)
    .set({ consumed_at: null, consumed_by: null })
    .where('consumed_by', '=', $.by)
    .where('revision', '=', $.revision)
    .where('outcome', 'is', null)
    .where('revoked_at', 'is', null)
    .where('erased_at', 'is', null),
);

const revokeApproved = guarded(intents, (rows, $: { id: string; now: string }) =>
  transitionOf(rows, $.id)
    .set({ revoked_at: $.now })
    .where('status', '=', 'approved')
    .where('revoked_at', 'is', null),
);

const reportConsumed = guarded(
  intents,
  (rows, $: { id: string; by: string; outcome: Outcome; now: string }) =>
    transitionOf(rows, $.id)
      .set({ outcome: $.outcome, outcome_at: $.now })
      .where('consumed_by', '=', $.by)
      .where('outcome', 'is', null),
);

export const intentTransitions: OverRunner<IntentWriter> = {
  async insertIntent(run, intent) {
    const { requester, permit, receipt, receiptIndex } = intent;
    await insert(run, {
      ...intent,
      requesterType: requester.type,
      requesterId: requester.id,
      requesterDisplay: requester.display,
      requesterOwnerId: requester.ownerId,
      permitId: permit?.id ?? null,
    });
    if (permit && receipt && receiptIndex !== null)
      await insertIssued(run, { permit, receipt, receiptIndex });
  },

  // SQLite needs no lock here, because each writer locks the whole database.
  async lockEqual() {},

  touchIntent: (run, id, revision, now, { received, required, approvals }) =>
    touchPending(run, {
      id,
      revision,
      now,
      approvalsReceived: received,
      approvalsRequired: required,
      approvals,
    }),

  async resolveIntent(run, id, revision, resolution) {
    const { status, at, by, issued } = resolution;
    if ((status === 'approved') !== (issued !== null)) {
      throw new Error('an approved intent has a permit and a receipt, and a denied one has neither');
    }
    const resolved = await resolvePending(run, {
      ...resolution,
      id,
      revision,
      resolvedAt: at,
      resolvedBy: by,
      approvedBy: issued && by,
      approvedAt: issued && at,
      permitId: issued?.permit.id ?? null,
      receiptIndex: issued?.receiptIndex ?? null,
    });
    if (resolved && issued) await insertIssued(run, issued);
    return resolved;
  },

  requestExtension: (run, id, request) =>
    askForMoreTime(run, { id, at: request.at, extensionRequest: request }),

  // SQLite needs no claim here: each writer locks the whole database, so no other one can work on these intents.
  claimDueIntents: (run, now, limit) => intentQueries.listDueIntents(run, now, limit),

  expireIntent: (run, id, now) => expirePending(run, { id, now }),

  async replacePermit(run, id, revision, permit) {
    if (!(await renewPermit(run, { id, revision, permitId: permit.id, now: permit.issuedAt }))) return false;
    await replaceIssued(run, id, permit);
    return true;
  },

  consumeIntent: (run, id, by, now) => consumeApproved(run, { id, by, now }),

  releaseIntent: (run, id, by, revision) => releaseConsumed(run, { id, by, revision }),

  revokeIntent: (run, id, now) => revokeApproved(run, { id, now }),

  reportOutcome: (run, id, by, outcome, now) => reportConsumed(run, { id, by, outcome, now }),
};

/** Owns the erasure of texts from their rows. */
import { foldEmailAddress, sha256Hex } from '@permitry/protocol';
import { expressionBuilder, type Kysely } from 'kysely';
import { ERASED_ANSWER_STATUS, type ErasureWriter } from '../../gate/erasure/erasure.ts';
import type { OverRunner } from '../sql/prepared-query.ts';
import { keyOf, receiptIndexOf } from '../sql/row-key.ts';
import {
  approvals,
  type Database,
  erasedReceipts,
  events,
  idempotencyRecords,
  intents,
  policyProposals,
  supersededPermits,
  users,
} from '../sql/tables.ts';
import { holdsText, startsWith } from '../sql/text-search.ts';
import { change, guarded, insertOnce, updateOf, updateWhere } from '../sql/write-statements.ts';
import { intentTexts } from './erasure-reads.ts';

const eraseIntent = updateWhere(intents, [...intentTexts.properties, 'erasedAt'], (rows, $: { id: string }) =>
  rows
    .set((eb) => ({ revision: eb('revision', '+', 1) }))
    .where('id', '=', $.id)
    .where('status', '<>', 'pending'),
);

const eraseIssued = change((db, $: { intentId: string }) =>
  db
    .updateTable('issued')
    .set({ token: '', receipt: null })
    .where('receipt_index', '=', receiptIndexOf($.intentId)),
);

const eraseSuperseded = updateOf(supersededPermits, { set: ['token'], where: ['id'] });

const keepHash = insertOnce(erasedReceipts, 'receiptIndex');

const eraseApprovers = change((db, $: { intentId: string }) =>
  db
    .updateTable('approvals')
    .set((eb) => ({ by: eb.ref('user_id'), evidence: null }))
    .where('intent_id', '=', $.intentId),
);

const eraseApprover = updateOf(approvals, { set: ['by', 'evidence'], where: ['intentId', 'userId'] });

const eraseEvent = updateWhere(
  events,
  ['actorDisplay', 'data', 'commitments'],
  (rows, $: { projectId: string; seq: number }) =>
    rows.where('project_key', '=', keyOf('projects', $.projectId)).where('seq', '=', $.seq),
);

const eraseAnswer = updateOf(idempotencyRecords, { set: ['status', 'body'], where: ['scope', 'key'] });

function keysOf(db: Kysely<Database>, ownerId: string) {
  return db
    .updateTable('api_keys')
    .set((eb) => ({ name: eb.ref('id') }))
    .where('owner_id', '=', ownerId);
}

const eraseKeysOfProject = change((db, $: { projectId: string; ownerId: string }) =>
  keysOf(db, $.ownerId).where('project_id', '=', $.projectId),
);

const eraseTokens = change((db, $: { ownerId: string }) =>
  keysOf(db, $.ownerId).where('project_id', 'is', null).where(isMemberNowhere($.ownerId)),
);

function isMemberNowhere(userId: string) {
  const eb = expressionBuilder<Database>();
  return eb.not(eb.exists(eb.selectFrom('members').select('role').where('user_id', '=', userId)));
}

type AuthorParams = { projectId: string; email: string; through: string; userId: string };

// `created_by` displays the person, or a key that the person answers for.
function eraseAuthorIn(table: 'policy_versions' | 'shadow_policies') {
  return change((db, $: AuthorParams) =>
    db
      .updateTable(table as 'policy_versions')
      .set({ created_by: $.userId })
      .where('project_id', '=', $.projectId)
      .where((eb) => eb.or([eb('created_by', '=', $.email), startsWith('created_by', $.through)])),
  );
}

const eraseAuthorOfPolicy = eraseAuthorIn('policy_versions');
const eraseAuthorOfShadow = eraseAuthorIn('shadow_policies');

const eraseProposer = updateOf(policyProposals, {
  set: ['proposer', 'comment'],
  where: ['projectId', 'proposerId'],
});
const eraseResolver = updateOf(policyProposals, {
  set: ['resolver', 'reason'],
  where: ['projectId', 'resolverId'],
});

const eraseProposedDocument = change((db, $: { projectId: string; email: string }) =>
  db
    .updateTable('policy_proposals')
    .set({ document: null })
    .where('project_id', '=', $.projectId)
    .where('status', '<>', 'pending')
    .where(holdsText('document', $.email)),
);

const eraseUserRow = guarded(users, (rows, $: { userId: string; erased: string }) =>
  rows
    .set({ email: $.erased, email_key: $.erased, name: null })
    .where('id', '=', $.userId)
    .where(isMemberNowhere($.userId)),
);

export const erasureQueries: OverRunner<ErasureWriter> = {
  async eraseIntentTexts(run, intent, permitIds, texts, at) {
    const { id } = intent;
    const displayed = { requesterDisplay: texts.requester.display };
    if (!(await eraseIntent(run, { ...texts, ...displayed, id, erasedAt: at }))) {
      throw new Error(`intent ${id} is pending, or gone: its texts stay`);
    }
    await eraseIssued(run, { intentId: id });
    for (const permitId of permitIds) await eraseSuperseded(run, { id: permitId, token: '' });
    const { receipt, receiptIndex } = intent;
    if (!receipt || receiptIndex === null) return;
    const jwsHash = `sha256:${sha256Hex(receipt.jws)}`;
    await keepHash(run, { receiptIndex, kid: receipt.kid, jwsHash });
  },

  eraseApproverNames: (run, intentId) => eraseApprovers(run, { intentId }),

  eraseApproverName: (run, intentId, userId) =>
    eraseApprover(run, { intentId, userId, by: userId, evidence: null }),

  eraseEventTexts: (run, projectId, seq, { display, data, commitments }) =>
    eraseEvent(run, { projectId, seq, actorDisplay: display, data, commitments }),

  eraseAnswer: (run, answer) => eraseAnswer(run, { ...answer, status: ERASED_ANSWER_STATUS, body: {} }),

  async eraseKeyNames(run, projectId, ownerId) {
    await eraseKeysOfProject(run, { projectId, ownerId });
    await eraseTokens(run, { ownerId });
  },

  async eraseAuthor(run, projectId, email, userId) {
    const author = { projectId, email, through: `${email} through `, userId };
    await eraseAuthorOfPolicy(run, author);
    await eraseAuthorOfShadow(run, author);
    await eraseProposer(run, { projectId, proposerId: userId, proposer: userId, comment: null });
    await eraseResolver(run, { projectId, resolverId: userId, resolver: userId, reason: null });
    // A published document is also one of the versions. A document that was never published records nothing, so all of
    // it goes.
    await eraseProposedDocument(run, { projectId, email: foldEmailAddress(email) });
  },

  eraseUser: (run, userId) => eraseUserRow(run, { userId, erased: `erased ${userId}` }),
};

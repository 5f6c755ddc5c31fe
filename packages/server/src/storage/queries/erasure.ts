/** Owns how texts leave the rows they stand in, and the searches for them, in steps of bounded size. */
import { foldEmailAddress, sha256Hex } from '@permitry/protocol';
import { sql } from 'kysely';
import { ERASED_ANSWER_STATUS, type ErasureReader, type ErasureWriter } from '../../gate/erasure/erasure.ts';
import { toJson } from '../sql/column.ts';
import { type OverRunner, prepare } from '../sql/prepared-query.ts';
import { keyOf, receiptIndexOf } from '../sql/row-key.ts';
import type { Row } from '../sql/tables.ts';
import { holdsText, sizeOf, stepOf, TEXT_SEARCH_STEP } from '../sql/text-search.ts';

/** Where the words of a request and the names of those who had a part in it stand. */
const INTENT_TEXTS = [
  'params',
  'metadata',
  'source',
  'reason',
  'requester_display',
  'approvers',
  'requirement',
  'approvals',
  'resolved_by',
  'approved_by',
  'extension',
] as const;

const findIntentIds = prepare((db, $: { projectId: string; text: string; after: number; through: number }) =>
  db
    .selectFrom('intents')
    .select('id')
    .where('seq', '>', $.after)
    .where('seq', '<=', $.through)
    .where('project_id', '=', $.projectId)
    .where((eb) => eb.or(INTENT_TEXTS.map((column) => holdsText(column, $.text)))),
);

const listIntentSizes = prepare((db, $: { after: number; limit: number }) =>
  db
    .selectFrom('intents')
    .select(['seq', sql<number>`${sizeOf('params')} + ${sizeOf('metadata')}`.as('bytes')])
    .where('seq', '>', $.after)
    .orderBy('seq')
    .limit($.limit),
);

const findAnswers = prepare((db, $: { text: string; after: number; through: number }) =>
  db
    .selectFrom('idempotency_records')
    .select(['scope', 'key'])
    .where('seq', '>', $.after)
    .where('seq', '<=', $.through)
    .where(holdsText('body', $.text)),
);

const listAnswerSizes = prepare((db, $: { after: number; limit: number }) =>
  db
    .selectFrom('idempotency_records')
    .select(['seq', sizeOf('body').as('bytes')])
    .where('seq', '>', $.after)
    .orderBy('seq')
    .limit($.limit),
);

const findErased = prepare((db, $: { receiptIndex: number }) =>
  db.selectFrom('erased_receipts').selectAll().where('receipt_index', '=', $.receiptIndex),
);

const countPolicies = prepare((db, $: { projectId: string; text: string }) =>
  db
    .selectFrom('policy_versions')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('project_id', '=', $.projectId)
    .where(holdsText('document', $.text)),
);

type TextParams = Pick<
  Row<'intents'>,
  | 'id'
  | 'params'
  | 'metadata'
  | 'source'
  | 'reason'
  | 'requester_display'
  | 'approvers'
  | 'requirement'
  | 'approvals'
  | 'resolved_by'
  | 'approved_by'
  | 'extension'
> & { at: string };

const eraseIntentRow = prepare((db, $: TextParams) =>
  db
    .updateTable('intents')
    .set((eb) => ({
      revision: eb('revision', '+', 1),
      params: $.params,
      metadata: $.metadata,
      source: $.source,
      reason: $.reason,
      requester_display: $.requester_display,
      approvers: $.approvers,
      requirement: $.requirement,
      approvals: $.approvals,
      resolved_by: $.resolved_by,
      approved_by: $.approved_by,
      extension: $.extension,
      erased_at: $.at,
    }))
    .where('id', '=', $.id)
    .where('status', '<>', 'pending'),
);

const eraseIssued = prepare((db, $: { intentId: string }) =>
  db
    .updateTable('issued')
    .set({ token: '', receipt: 'null' })
    .where('receipt_index', '=', receiptIndexOf($.intentId)),
);

const eraseSuperseded = prepare((db, $: { id: string }) =>
  db.updateTable('superseded_permits').set({ token: '' }).where('id', '=', $.id),
);

const keepHash = prepare((db, $: { receipt_index: number; kid: string; jws_hash: string }) =>
  db
    .insertInto('erased_receipts')
    .values({ receipt_index: $.receipt_index, kid: $.kid, jws_hash: $.jws_hash })
    .onConflict((conflict) => conflict.column('receipt_index').doNothing()),
);

const eraseApprovers = prepare((db, $: { intentId: string }) =>
  db
    .updateTable('approvals')
    .set((eb) => ({ approver: eb.ref('user_id'), evidence: null }))
    .where('intent_id', '=', $.intentId),
);

const eraseApprover = prepare((db, $: { intentId: string; userId: string }) =>
  db
    .updateTable('approvals')
    .set({ approver: $.userId, evidence: null })
    .where('intent_id', '=', $.intentId)
    .where('user_id', '=', $.userId),
);

type EventParams = {
  projectId: string;
  seq: number;
  display: string | null;
  data: string;
  commitments: string;
};

const eraseEvent = prepare((db, $: EventParams) =>
  db
    .updateTable('events')
    .set({ actor_display: $.display, data: $.data, commitments: $.commitments })
    .where('project_key', '=', keyOf('projects', $.projectId))
    .where('seq', '=', $.seq),
);

const eraseAnswerRow = prepare((db, $: { scope: string; key: string }) =>
  db
    .updateTable('idempotency_records')
    .set({ status: ERASED_ANSWER_STATUS, body: '{}' })
    .where('scope', '=', $.scope)
    .where('key', '=', $.key),
);

const eraseKeysOfProject = prepare((db, $: { projectId: string; ownerId: string }) =>
  db
    .updateTable('api_keys')
    .set((eb) => ({ name: eb.ref('id') }))
    .where('project_id', '=', $.projectId)
    .where('owner_id', '=', $.ownerId),
);

const eraseTokens = prepare((db, $: { ownerId: string }) =>
  db
    .updateTable('api_keys')
    .set((eb) => ({ name: eb.ref('id') }))
    .where('project_id', 'is', null)
    .where('owner_id', '=', $.ownerId)
    .where((eb) =>
      eb.not(eb.exists(eb.selectFrom('members').select('role').where('user_id', '=', $.ownerId))),
    ),
);

type AuthorParams = { projectId: string; email: string; through: string; userId: string };

// As the display of a person, or of a key that the person answers for.
function isAuthor($: AuthorParams) {
  return sql<boolean>`(${sql.ref('created_by')} = ${$.email} or substr(${sql.ref('created_by')}, 1, length(${$.through})) = ${$.through})`;
}

const eraseAuthorOfPolicy = prepare((db, $: AuthorParams) =>
  db
    .updateTable('policy_versions')
    .set({ created_by: $.userId })
    .where('project_id', '=', $.projectId)
    .where(isAuthor($)),
);

const eraseAuthorOfShadow = prepare((db, $: AuthorParams) =>
  db
    .updateTable('shadow_policies')
    .set({ created_by: $.userId })
    .where('project_id', '=', $.projectId)
    .where(isAuthor($)),
);

const eraseProposer = prepare((db, $: { projectId: string; userId: string }) =>
  db
    .updateTable('policy_proposals')
    .set({ proposer: $.userId, comment: null })
    .where('project_id', '=', $.projectId)
    .where('proposer_id', '=', $.userId),
);

const eraseResolver = prepare((db, $: { projectId: string; userId: string }) =>
  db
    .updateTable('policy_proposals')
    .set({ resolver: $.userId, reason: null })
    .where('project_id', '=', $.projectId)
    .where('resolver_id', '=', $.userId),
);

const eraseProposedDocument = prepare((db, $: { projectId: string; email: string }) =>
  db
    .updateTable('policy_proposals')
    .set({ document: null })
    .where('project_id', '=', $.projectId)
    .where('status', '<>', 'pending')
    .where(holdsText('document', $.email)),
);

const eraseUserRow = prepare((db, $: { userId: string; erased: string }) =>
  db
    .updateTable('users')
    .set({ email: $.erased, email_key: $.erased, name: null })
    .where('id', '=', $.userId)
    .where((eb) =>
      eb.not(eb.exists(eb.selectFrom('members').select('role').where('user_id', '=', $.userId))),
    ),
);

export const erasureReads: OverRunner<ErasureReader> = {
  async findIntentsWithText(run, projectId, text, after) {
    const { through, next } = stepOf(
      await run.all(listIntentSizes, { after, limit: TEXT_SEARCH_STEP }),
      after,
    );
    const rows = await run.all(findIntentIds, { projectId, text, after, through });
    return { items: rows.map(({ id }) => id), next };
  },

  async findAnswersWithText(run, text, after) {
    const { through, next } = stepOf(
      await run.all(listAnswerSizes, { after, limit: TEXT_SEARCH_STEP }),
      after,
    );
    return { items: await run.all(findAnswers, { text, after, through }), next };
  },

  async findErasedReceipt(run, receiptIndex) {
    const row = await run.first(findErased, { receiptIndex });
    return row && { kid: row.kid, jwsHash: row.jws_hash };
  },

  async countPoliciesWithText(run, projectId, text) {
    return (await run.first(countPolicies, { projectId, text }))?.count ?? 0;
  },
};

export const erasureWrites: OverRunner<ErasureWriter> = {
  async eraseIntentTexts(run, intent, permitIds, texts, at) {
    const erased = await run.change(eraseIntentRow, {
      id: intent.id,
      at,
      params: toJson(texts.params),
      metadata: toJson(texts.metadata),
      source: texts.source,
      reason: texts.reason,
      requester_display: texts.requester.display,
      approvers: toJson(texts.approvers),
      requirement: toJson(texts.requirement),
      approvals: toJson(texts.approvals),
      resolved_by: texts.resolvedBy,
      approved_by: texts.approvedBy,
      extension: texts.extensionRequest && toJson(texts.extensionRequest),
    });
    if (erased !== 1) throw new Error(`intent ${intent.id} is pending, or gone: its texts stay`);
    await run.change(eraseIssued, { intentId: intent.id });
    for (const id of permitIds) await run.change(eraseSuperseded, { id });
    const { receipt, receiptIndex } = intent;
    if (!receipt || receiptIndex === null) return;
    const jwsHash = `sha256:${sha256Hex(receipt.jws)}`;
    await run.change(keepHash, { receipt_index: receiptIndex, kid: receipt.kid, jws_hash: jwsHash });
  },

  async eraseApproverNames(run, intentId) {
    await run.change(eraseApprovers, { intentId });
  },

  async eraseApproverName(run, intentId, userId) {
    await run.change(eraseApprover, { intentId, userId });
  },

  async eraseEventTexts(run, projectId, seq, { display, data, commitments }) {
    const texts = { data: toJson(data), commitments: toJson(commitments) };
    await run.change(eraseEvent, { projectId, seq, display, ...texts });
  },

  async eraseAnswer(run, answer) {
    await run.change(eraseAnswerRow, { scope: answer.scope, key: answer.key });
  },

  async eraseKeyNames(run, projectId, ownerId) {
    await run.change(eraseKeysOfProject, { projectId, ownerId });
    await run.change(eraseTokens, { ownerId });
  },

  async eraseAuthor(run, projectId, email, userId) {
    const author = { projectId, email, through: `${email} through `, userId };
    await run.change(eraseAuthorOfPolicy, author);
    await run.change(eraseAuthorOfShadow, author);
    await run.change(eraseProposer, { projectId, userId });
    await run.change(eraseResolver, { projectId, userId });
    // What came in force stands among the versions; what did not is no record of anything.
    await run.change(eraseProposedDocument, { projectId, email: foldEmailAddress(email) });
  },

  async eraseUser(run, userId) {
    return (await run.change(eraseUserRow, { userId, erased: `erased ${userId}` })) === 1;
  },
};

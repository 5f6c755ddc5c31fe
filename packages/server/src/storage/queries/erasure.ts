/** Owns how texts leave the rows they stand in, and the searches for them, in steps of bounded size. */
import { foldEmailAddress, sha256Hex } from '@permitry/protocol';
import { sql } from 'kysely';
import { ERASED_ANSWER_STATUS, type ErasureReader, type ErasureWriter } from '../../gate/erasure/erasure.ts';
import { type OverRunner, prepare } from '../sql/prepared-query.ts';
import { keyOf, receiptIndexOf } from '../sql/row-key.ts';
import { change, findIn, guarded, insertOnce, updateWhere } from '../sql/statements.ts';
import { erasedReceipts, events, intents } from '../sql/tables.ts';
import { holdsText, sizeOf, stepOf, TEXT_SEARCH_STEP } from '../sql/text-search.ts';

/** Where the words of a request and the names of those who had a part in it stand. */
const intentTexts = intents.only(
  'params',
  'metadata',
  'source',
  'reason',
  'requesterDisplay',
  'approvers',
  'requirement',
  'approvals',
  'resolvedBy',
  'approvedBy',
  'extensionRequest',
);

const findIntentIds = prepare((db, $: { projectId: string; text: string; after: number; through: number }) =>
  db
    .selectFrom('intents')
    .select('id')
    .where('seq', '>', $.after)
    .where('seq', '<=', $.through)
    .where('project_id', '=', $.projectId)
    .where((eb) => eb.or(intentTexts.columns.map((column) => holdsText(column, $.text)))),
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

const findErased = findIn(erasedReceipts, 'receiptIndex');

const countPolicies = prepare((db, $: { projectId: string; text: string }) =>
  db
    .selectFrom('policy_versions')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('project_id', '=', $.projectId)
    .where(holdsText('document', $.text)),
);

const eraseIntent = updateWhere(
  intents,
  [...intentTexts.properties, 'erasedAt'],
  (update, $: { id: string }) =>
    update
      .set((eb) => ({ revision: eb('revision', '+', 1) }))
      .where('id', '=', $.id)
      .where('status', '<>', 'pending'),
);

const eraseIssued = change((db, $: { intentId: string }) =>
  db
    .updateTable('issued')
    .set({ token: '', receipt: 'null' })
    .where('receipt_index', '=', receiptIndexOf($.intentId)),
);

const eraseSuperseded = change((db, $: { id: string }) =>
  db.updateTable('superseded_permits').set({ token: '' }).where('id', '=', $.id),
);

const keepHash = insertOnce(erasedReceipts, 'receiptIndex');

const eraseApprovers = change((db, $: { intentId: string }) =>
  db
    .updateTable('approvals')
    .set((eb) => ({ by: eb.ref('user_id'), evidence: null }))
    .where('intent_id', '=', $.intentId),
);

const eraseApprover = change((db, $: { intentId: string; userId: string }) =>
  db
    .updateTable('approvals')
    .set({ by: $.userId, evidence: null })
    .where('intent_id', '=', $.intentId)
    .where('user_id', '=', $.userId),
);

const eraseEvent = updateWhere(
  events,
  ['actorDisplay', 'data', 'commitments'],
  (update, $: { projectId: string; seq: number }) =>
    update.where('project_key', '=', keyOf('projects', $.projectId)).where('seq', '=', $.seq),
);

const eraseAnswerRow = change((db, $: { scope: string; key: string }) =>
  db
    .updateTable('idempotency_records')
    .set({ status: ERASED_ANSWER_STATUS, body: '{}' })
    .where('scope', '=', $.scope)
    .where('key', '=', $.key),
);

const eraseKeysOfProject = change((db, $: { projectId: string; ownerId: string }) =>
  db
    .updateTable('api_keys')
    .set((eb) => ({ name: eb.ref('id') }))
    .where('project_id', '=', $.projectId)
    .where('owner_id', '=', $.ownerId),
);

const eraseTokens = change((db, $: { ownerId: string }) =>
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

const eraseAuthorOfPolicy = change((db, $: AuthorParams) =>
  db
    .updateTable('policy_versions')
    .set({ created_by: $.userId })
    .where('project_id', '=', $.projectId)
    .where(isAuthor($)),
);

const eraseAuthorOfShadow = change((db, $: AuthorParams) =>
  db
    .updateTable('shadow_policies')
    .set({ created_by: $.userId })
    .where('project_id', '=', $.projectId)
    .where(isAuthor($)),
);

const eraseProposer = change((db, $: { projectId: string; userId: string }) =>
  db
    .updateTable('policy_proposals')
    .set({ proposer: $.userId, comment: null })
    .where('project_id', '=', $.projectId)
    .where('proposer_id', '=', $.userId),
);

const eraseResolver = change((db, $: { projectId: string; userId: string }) =>
  db
    .updateTable('policy_proposals')
    .set({ resolver: $.userId, reason: null })
    .where('project_id', '=', $.projectId)
    .where('resolver_id', '=', $.userId),
);

const eraseProposedDocument = change((db, $: { projectId: string; email: string }) =>
  db
    .updateTable('policy_proposals')
    .set({ document: null })
    .where('project_id', '=', $.projectId)
    .where('status', '<>', 'pending')
    .where(holdsText('document', $.email)),
);

const eraseUserRow = guarded((db, $: { userId: string; erased: string }) =>
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
    const found = await findErased(run, { receiptIndex });
    return found && { kid: found.kid, jwsHash: found.jwsHash };
  },

  async countPoliciesWithText(run, projectId, text) {
    return (await run.first(countPolicies, { projectId, text }))?.count ?? 0;
  },
};

export const erasureWrites: OverRunner<ErasureWriter> = {
  async eraseIntentTexts(run, intent, permitIds, texts, at) {
    const { id } = intent;
    const displayed = { requesterDisplay: texts.requester.display };
    if (!(await eraseIntent(run, { ...texts, ...displayed, id, erasedAt: at }))) {
      throw new Error(`intent ${id} is pending, or gone: its texts stay`);
    }
    await eraseIssued(run, { intentId: id });
    for (const permitId of permitIds) await eraseSuperseded(run, { id: permitId });
    const { receipt, receiptIndex } = intent;
    if (!receipt || receiptIndex === null) return;
    const jwsHash = `sha256:${sha256Hex(receipt.jws)}`;
    await keepHash(run, { receiptIndex, kid: receipt.kid, jwsHash });
  },

  async eraseApproverNames(run, intentId) {
    await eraseApprovers(run, { intentId });
  },

  async eraseApproverName(run, intentId, userId) {
    await eraseApprover(run, { intentId, userId });
  },

  async eraseEventTexts(run, projectId, seq, { display, data, commitments }) {
    await eraseEvent(run, { projectId, seq, actorDisplay: display, data, commitments });
  },

  async eraseAnswer(run, answer) {
    await eraseAnswerRow(run, { scope: answer.scope, key: answer.key });
  },

  async eraseKeyNames(run, projectId, ownerId) {
    await eraseKeysOfProject(run, { projectId, ownerId });
    await eraseTokens(run, { ownerId });
  },

  async eraseAuthor(run, projectId, email, userId) {
    const author = { projectId, email, through: `${email} through `, userId };
    await eraseAuthorOfPolicy(run, author);
    await eraseAuthorOfShadow(run, author);
    await eraseProposer(run, { projectId, userId });
    await eraseResolver(run, { projectId, userId });
    // What came in force stands among the versions; what did not is no record of anything.
    await eraseProposedDocument(run, { projectId, email: foldEmailAddress(email) });
  },

  async eraseUser(run, userId) {
    return eraseUserRow(run, { userId, erased: `erased ${userId}` });
  },
};

/** Owns how texts leave the rows they stand in, and the searches for them, in steps of bounded size. */
import { INTENT_STATUSES, type IntentStatus, sha256Hex } from '@permitry/protocol';
import { sql } from 'kysely';
import {
  ERASED_ANSWER_STATUS,
  type ErasureReader,
  type ErasureWriter,
  type Found,
} from '../../gate/erasure/erasure.ts';
import type { Intent } from '../../gate/intents/intent.ts';
import { intentReads } from './intents.ts';
import { toJson } from './json.ts';
import { type OverRunner, prepare, type QueryRunner } from './prepared-query.ts';
import { keyOf } from './row-key.ts';
import type { Row } from './tables.ts';

/** Rows looked at in one step of a search: a few milliseconds. */
const STEP = 500;

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
] as const;

function holds(column: string, text: string) {
  return sql<boolean>`instr(lower(${sql.ref(column)}), ${text}) > 0`;
}

const findIntentIds = prepare((db, $: { projectId: string; text: string; after: number; through: number }) =>
  db
    .selectFrom('intents')
    .select('id')
    .where('seq', '>', $.after)
    .where('seq', '<=', $.through)
    .where('project_id', '=', $.projectId)
    .where((eb) => eb.or(INTENT_TEXTS.map((column) => holds(column, $.text)))),
);

const findLastIntent = prepare((db) =>
  db.selectFrom('intents').select((eb) => eb.fn.max<number | null>('seq').as('last')),
);

const findAnswers = prepare((db, $: { text: string; after: number; through: number }) =>
  db
    .selectFrom('idempotency_records')
    .select(['scope', 'key'])
    .where('seq', '>', $.after)
    .where('seq', '<=', $.through)
    .where(holds('body', $.text)),
);

const findLastAnswer = prepare((db) =>
  db.selectFrom('idempotency_records').select((eb) => eb.fn.max<number | null>('seq').as('last')),
);

const findErased = prepare((db, $: { receiptIndex: number }) =>
  db.selectFrom('erased_receipts').selectAll().where('receipt_index', '=', $.receiptIndex),
);

const countPolicies = prepare((db, $: { projectId: string; text: string }) =>
  db
    .selectFrom('policy_versions')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('project_id', '=', $.projectId)
    .where(holds('document', $.text)),
);

const findRetentionRow = prepare((db, $: { projectId: string }) =>
  db.selectFrom('retention').selectAll().where('project_id', '=', $.projectId),
);

// One walk along the index for each status, merged: only so does none pass by the intents of other projects.
const listUnswept = prepare(
  (db, $: { projectId: string; status: IntentStatus; after: number; limit: number }) =>
    db
      .selectFrom('intents')
      .select('seq')
      .where('project_key', '=', keyOf('projects', $.projectId))
      .where('status', '=', $.status)
      .where('seq', '>', $.after)
      .orderBy('seq')
      .limit($.limit),
);

const findId = prepare((db, $: { seq: number }) =>
  db.selectFrom('intents').select('id').where('seq', '=', $.seq),
);

const listWaiting = prepare((db, $: { projectId: string; now: string; limit: number }) =>
  db
    .selectFrom('retention_waiting')
    .select('intent_id')
    .where('project_id', '=', $.projectId)
    .where('due_at', '<=', $.now)
    .orderBy('due_at')
    .limit($.limit),
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
      erased_at: $.at,
    }))
    .where('id', '=', $.id)
    .where('status', '<>', 'pending'),
);

const eraseIssued = prepare((db, $: { intentId: string }) =>
  db
    .updateTable('issued')
    .set({ token: '', receipt: 'null' })
    .where('intent_key', '=', keyOf('intents', $.intentId)),
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
    .set((eb) => ({ approver: eb.ref('user_id') }))
    .where('intent_id', '=', $.intentId),
);

const eraseApprover = prepare((db, $: { intentId: string; userId: string }) =>
  db
    .updateTable('approvals')
    .set({ approver: $.userId })
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

const eraseUserRow = prepare((db, $: { userId: string; erased: string }) =>
  db
    .updateTable('users')
    .set({ email: $.erased, email_key: $.erased, name: null })
    .where('id', '=', $.userId)
    .where((eb) =>
      eb.not(eb.exists(eb.selectFrom('members').select('role').where('user_id', '=', $.userId))),
    ),
);

const saveDays = prepare((db, $: { projectId: string; days: number | null }) =>
  db
    .insertInto('retention')
    .values({ project_id: $.projectId, days: $.days, swept_intent: 0, swept_event: 0 })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet({ days: $.days })),
);

const saveEvent = prepare((db, $: { projectId: string; seq: number }) =>
  db
    .insertInto('retention')
    .values({ project_id: $.projectId, days: null, swept_intent: 0, swept_event: $.seq })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet({ swept_event: $.seq })),
);

const findSeq = prepare((db, $: { id: string }) =>
  db.selectFrom('intents').select('seq').where('id', '=', $.id),
);

const saveIntent = prepare((db, $: { projectId: string; seq: number }) =>
  db
    .insertInto('retention')
    .values({ project_id: $.projectId, days: null, swept_intent: $.seq, swept_event: 0 })
    .onConflict((conflict) => conflict.column('project_id').doUpdateSet({ swept_intent: $.seq })),
);

const saveWaiting = prepare((db, $: { id: string; projectId: string; dueAt: string }) =>
  db
    .insertInto('retention_waiting')
    .values({ intent_id: $.id, project_id: $.projectId, due_at: $.dueAt })
    .onConflict((conflict) => conflict.column('intent_id').doUpdateSet({ due_at: $.dueAt })),
);

const deleteWaiting = prepare((db, $: { id: string }) =>
  db.deleteFrom('retention_waiting').where('intent_id', '=', $.id),
);

export const erasureReads: OverRunner<ErasureReader> = {
  async findIntentsWithText(run, projectId, text, after) {
    const through = after + STEP;
    const rows = await run.all(findIntentIds, { projectId, text, after, through });
    const last = (await run.first(findLastIntent, {}))?.last ?? 0;
    return toFound(
      rows.map(({ id }) => id),
      through,
      last,
    );
  },

  async findAnswersWithText(run, text, after) {
    const through = after + STEP;
    const rows = await run.all(findAnswers, { text, after, through });
    return toFound(rows, through, (await run.first(findLastAnswer, {}))?.last ?? 0);
  },

  async findErasedReceipt(run, receiptIndex) {
    const row = await run.first(findErased, { receiptIndex });
    return row && { kid: row.kid, jwsHash: row.jws_hash };
  },

  async countPoliciesWithText(run, projectId, text) {
    return (await run.first(countPolicies, { projectId, text }))?.count ?? 0;
  },

  async findRetention(run, projectId) {
    const row = await run.first(findRetentionRow, { projectId });
    return { days: row?.days ?? null, sweptEventSeq: row?.swept_event ?? 0 };
  },

  async listUnsweptIntents(run, projectId, limit) {
    const after = (await run.first(findRetentionRow, { projectId }))?.swept_intent ?? 0;
    const walks = INTENT_STATUSES.map((status) => run.all(listUnswept, { projectId, status, after, limit }));
    const seqs = (await Promise.all(walks)).flat().map(({ seq }) => seq);
    const oldest = seqs.sort((a, b) => a - b).slice(0, limit);
    const rows = await Promise.all(oldest.map((seq) => run.first(findId, { seq })));
    return readIntents(
      run,
      rows.flatMap((row) => row?.id ?? []),
    );
  },

  async listWaitingIntents(run, projectId, now, limit) {
    const rows = await run.all(listWaiting, { projectId, now, limit });
    return readIntents(
      run,
      rows.map((row) => row.intent_id),
    );
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
  },

  async eraseUser(run, userId) {
    await run.change(eraseUserRow, { userId, erased: `erased ${userId}` });
  },

  async setRetentionDays(run, projectId, days) {
    await run.change(saveDays, { projectId, days });
  },

  async saveSweptEvent(run, projectId, seq) {
    await run.change(saveEvent, { projectId, seq });
  },

  async saveSweptIntent(run, projectId, intentId) {
    const seq = (await run.first(findSeq, { id: intentId }))?.seq;
    if (seq === undefined) throw new Error(`intent ${intentId} is gone`);
    await run.change(saveIntent, { projectId, seq });
  },

  async saveWaitingIntent(run, { id, projectId }, dueAt) {
    if (dueAt === null) await run.change(deleteWaiting, { id });
    else await run.change(saveWaiting, { id, projectId, dueAt });
  },
};

function toFound<T>(items: readonly T[], through: number, last: number): Found<T> {
  return { items, next: through < last ? through : null };
}

async function readIntents(run: QueryRunner, ids: readonly string[]): Promise<Intent[]> {
  const found: Intent[] = [];
  for (const id of ids) {
    const intent = await intentReads.findIntent(run, id);
    if (intent) found.push(intent);
  }
  return found;
}

/** Owns the searches for texts to erase, in steps of bounded size, and the remains of an erased receipt. */
import { sql } from 'kysely';
import type { ErasureReader } from '../../gate/erasure/erasure.ts';
import { type OverRunner, prepare } from '../sql/prepared-query.ts';
import { countOf, findIn } from '../sql/read-statements.ts';
import { erasedReceipts, intents, policyVersions } from '../sql/tables.ts';
import { holdsText, sizeOf, stepsThrough } from '../sql/text-search.ts';

/** The columns with a request's texts, and with the names of the people and agents who took part in it. */
export const intentTexts = intents.pick(
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

const nextIntents = stepsThrough('intents', sql`${sizeOf('params')} + ${sizeOf('metadata')}`);

const findAnswers = prepare((db, $: { text: string; after: number; through: number }) =>
  db
    .selectFrom('idempotency_records')
    .select(['scope', 'key'])
    .where('seq', '>', $.after)
    .where('seq', '<=', $.through)
    .where(holdsText('body', $.text)),
);

const nextAnswers = stepsThrough('idempotency_records', sizeOf('body'));

const findErased = findIn(erasedReceipts, 'receiptIndex');

const countPolicies = countOf(policyVersions, (rows, $: { projectId: string; text: string }) =>
  rows.where('project_id', '=', $.projectId).where(holdsText('document', $.text)),
);

export const erasureReads: OverRunner<ErasureReader> = {
  async findIntentsWithText(run, projectId, text, after) {
    const { through, next } = await nextIntents(run, after);
    const rows = await run.all(findIntentIds, { projectId, text, after, through });
    return { items: rows.map(({ id }) => id), next };
  },

  async findAnswersWithText(run, text, after) {
    const { through, next } = await nextAnswers(run, after);
    return { items: await run.all(findAnswers, { text, after, through }), next };
  },

  async findErasedReceipt(run, receiptIndex) {
    const found = await findErased(run, { receiptIndex });
    return found && { kid: found.kid, jwsHash: found.jwsHash };
  },

  countPoliciesWithText: (run, projectId, text) => countPolicies(run, { projectId, text }),
};

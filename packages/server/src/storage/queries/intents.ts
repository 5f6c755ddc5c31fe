/** Owns the reads of intents: one by id, a page of a list, those that are due. */
import type { IntentDecision, IntentStatus } from '@permitry/protocol';
import { type Kysely, sql } from 'kysely';
import { type Intent, type IntentFilter, type IntentReader, LISTED } from '../../gate/intents/intent.ts';
import type { Instant } from '../../gate/kernel/instant.ts';
import { firstOfEach, type OverRunner, prepare, type QueryRunner } from '../sql/prepared-query.ts';
import { keyOf } from '../sql/row-key.ts';
import { type Database, intents, SHORT_HASH } from '../sql/tables.ts';
import { toIntent } from './intent-row.ts';
import { findIssuedPermit } from './issued-permits.ts';
import { findPosition, findSeq, listNewest } from './newest-intents.ts';

function intentRows(db: Kysely<Database>) {
  return db
    .selectFrom('intents')
    .leftJoin('issued', 'issued.receipt_index', 'intents.receipt_index')
    .select(intents.namesIn('intents'))
    .select([
      'issued.token as permit_token',
      'issued.issued_at as permit_issued_at',
      'issued.expires_at as permit_expires_at',
      'issued.receipt as receipt',
    ]);
}

const findRow = prepare((db, $: { id: string }) => intentRows(db).where('intents.id', '=', $.id));

const findRowBySeq = prepare((db, $: { seq: number }) => intentRows(db).where('intents.seq', '=', $.seq));

const listed = intents.pick(...LISTED);

// Reads only half of the columns, because reading columns is most of the cost of a page.
const findListed = prepare((db, $: { seq: number }) =>
  db.selectFrom('intents').select(listed.columns).where('seq', '=', $.seq),
);

// A literal, not a parameter: only then can a database use the partial index for pending intents.
const PENDING = sql.lit<IntentStatus>('pending');
const APPROVED = sql.lit<IntentStatus>('approved');
const BY_PEOPLE = sql.lit<IntentDecision>('require_approval');

export const dueIntent = intents.pick('id', 'projectId', 'expiresAt');

const listDueRows = prepare((db, $: { now: string; limit: number }) =>
  db
    .selectFrom('intents')
    .select(dueIntent.columns)
    .where('status', '=', PENDING)
    .where('expires_at', '<=', $.now)
    .orderBy('expires_at')
    .limit($.limit),
);

const findResolved = prepare((db, $: { id: string }) =>
  db.selectFrom('intents').select('id').where('id', '=', $.id).where('status', '!=', PENDING),
);

const findEarliestExpiry = prepare((db) =>
  db.selectFrom('intents').select('expires_at').where('status', '=', PENDING).orderBy('expires_at').limit(1),
);

const findRepeated = prepare((db, $: { intentId: string }) =>
  db.selectFrom('intents').select('id').where('asked_again_from', '=', $.intentId),
);

type Action = { projectId: string; action: string };

function seqsOfAction(db: Kysely<Database>, $: Action) {
  return db
    .selectFrom('intents')
    .select('seq')
    .where('project_key', '=', keyOf('projects', $.projectId))
    .where('action', '=', $.action)
    .limit(1);
}

// Repeats the conditions of the partial index as literals, because only then can a database use it.
const findApprovedSeq = prepare((db, $: Action & { beforeSeq: number }) =>
  seqsOfAction(db, $)
    .where('status', '=', APPROVED)
    .where('decision', '=', BY_PEOPLE)
    .where('seq', '<', $.beforeSeq)
    .orderBy('seq', 'desc'),
);

type EqualSince = Action & { paramsHash: string; since: Instant };

function seqsOfEqual(db: Kysely<Database>, $: EqualSince) {
  return seqsOfAction(db, $)
    .where(sql.raw(SHORT_HASH), '=', sql`substr(${$.paramsHash}, 8, 12)`)
    .where('params_hash', '=', $.paramsHash);
}

// Repeats the conditions of the partial index as literals, as above.
const findApprovedEqualSeq = prepare((db, $: EqualSince) =>
  seqsOfEqual(db, $)
    .where('status', '=', APPROVED)
    .where('decision', '=', BY_PEOPLE)
    .where('approved_at', '>=', $.since)
    .orderBy('approved_at', 'desc'),
);

const findDeniedSeq = prepare((db, $: EqualSince) =>
  seqsOfEqual(db, $)
    .where('denied_by', 'is not', null)
    .where('resolved_at', '>=', $.since)
    .orderBy('resolved_at', 'desc'),
);

export const intentQueries: OverRunner<IntentReader> = {
  async findIntent(run, id) {
    const row = await run.first(findRow, { id });
    return row && toIntent(row);
  },

  async listIntents(run, filter) {
    const rows = await firstOfEach(run, findListed, await listSeqs(run, filter));
    return rows.flatMap((row) => (row ? [listed.toObject(row)] : []));
  },

  async listWholeIntents(run, filter) {
    const rows = await firstOfEach(run, findRowBySeq, await listSeqs(run, filter));
    return rows.flatMap((row) => (row ? [toIntent(row)] : []));
  },

  listDueIntents: async (run, now, limit) =>
    (await run.all(listDueRows, { now, limit })).map(dueIntent.toObject),

  async listResolved(run, intentIds) {
    const ids = intentIds.map((id) => ({ id }));
    const found = await firstOfEach(run, findResolved, ids);
    return found.flatMap((row) => (row ? [row.id] : []));
  },

  findNextExpiry: async (run) => (await run.first(findEarliestExpiry, {}))?.expires_at,

  findPermit: findIssuedPermit,

  findAskedAgain: async (run, intentId) => (await run.first(findRepeated, { intentId }))?.id,

  async hasApproved(run, projectId, action) {
    const beforeSeq = Number.MAX_SAFE_INTEGER;
    return (await run.first(findApprovedSeq, { projectId, action, beforeSeq })) !== undefined;
  },

  async findLastApproved(run, projectId, action, beforeId) {
    const position = beforeId === undefined ? undefined : await run.first(findPosition, { id: beforeId });
    const beforeSeq = position?.seq ?? Number.MAX_SAFE_INTEGER;
    return readBySeq(run, await run.first(findApprovedSeq, { projectId, action, beforeSeq }));
  },

  findLastApprovedEqual: async (run, { projectId, action, paramsHash }, since) =>
    readBySeq(run, await run.first(findApprovedEqualSeq, { projectId, action, paramsHash, since })),

  findLastDenied: async (run, { projectId, action, paramsHash }, since) =>
    readBySeq(run, await run.first(findDeniedSeq, { projectId, action, paramsHash, since })),
};

async function listSeqs(run: QueryRunner, filter: IntentFilter): Promise<{ seq: number }[]> {
  const beforeSeq = filter.beforeId === undefined ? undefined : await findSeq(run, filter, filter.beforeId);
  // A cursor outside the visible intents reveals nothing, not even that such an intent exists.
  return beforeSeq === null ? [] : listNewest(run, filter, beforeSeq);
}

async function readBySeq(run: QueryRunner, found: { seq: number } | undefined): Promise<Intent | undefined> {
  const row = found && (await run.first(findRowBySeq, { seq: found.seq }));
  return row && toIntent(row);
}

/** Owns the intents as they are read: one by id, a page of a list, those whose time has passed. */
import type { IntentDecision, IntentStatus } from '@permitry/protocol';
import { type Kysely, sql } from 'kysely';
import type { Intent, IntentFilter, IntentReader } from '../../gate/intents/intent.ts';
import type { Instant } from '../../gate/kernel/instant.ts';
import { type OverRunner, prepare, prepareShapes, type QueryRunner } from '../sql/prepared-query.ts';
import { keyOf, receiptIndexOf } from '../sql/row-key.ts';
import { type Database, intents, supersededPermits } from '../sql/tables.ts';
import { toIntent } from './intent-row.ts';

function intentRows(db: Kysely<Database>) {
  return db
    .selectFrom('intents')
    .leftJoin('issued', 'issued.receipt_index', 'intents.receipt_index')
    .selectAll('intents')
    .select([
      'issued.token as permit_token',
      'issued.issued_at as permit_issued_at',
      'issued.expires_at as permit_expires_at',
      'issued.receipt as receipt',
    ]);
}

const findRow = prepare((db, $: { id: string }) => intentRows(db).where('intents.id', '=', $.id));

const findRowBySeq = prepare((db, $: { seq: number }) => intentRows(db).where('intents.seq', '=', $.seq));

type Shape = { ofAgent: boolean; paged: boolean };

type FilterParams = {
  projectId: string;
  status: IntentStatus;
  agentId: string;
  beforeSeq: number;
  limit: number;
};

// Numbers only, and of one status: the index holds all it asks for, in its order.
const listSeqs = prepareShapes((db, $: FilterParams, shape: Shape) => {
  let rows = db
    .selectFrom('intents')
    .select('seq')
    .where('status', '=', $.status)
    .orderBy('seq', 'desc')
    .limit($.limit);
  rows = shape.ofAgent
    ? rows.where('agent_key', '=', keyOf('agents', $.agentId))
    : rows.where('project_key', '=', keyOf('projects', $.projectId));
  return shape.paged ? rows.where('seq', '<', $.beforeSeq) : rows;
});

const findPosition = prepare((db, $: { id: string }) =>
  db.selectFrom('intents').select(['seq', 'project_id', 'agent_id']).where('id', '=', $.id),
);

// Written into the text, not bound: only then may a database use the index kept for pending intents alone.
const PENDING = sql.lit<IntentStatus>('pending');
const APPROVED = sql.lit<IntentStatus>('approved');
const BY_PEOPLE = sql.lit<IntentDecision>('require_approval');

export const dueIntent = intents.only('id', 'projectId', 'expiresAt');

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

const issuedPermit = supersededPermits.only('id', 'token', 'issuedAt', 'expiresAt');

const findCurrentPermit = prepare((db, $: { intentId: string; id: string }) =>
  db
    .selectFrom('issued')
    .select(['permit_id as id', 'token', 'issued_at', 'expires_at'])
    .where('receipt_index', '=', receiptIndexOf($.intentId))
    .where('permit_id', '=', $.id),
);

const findSupersededPermit = prepare((db, $: { intentId: string; id: string }) =>
  db
    .selectFrom('superseded_permits')
    .select(issuedPermit.columns)
    .where('id', '=', $.id)
    .where('intent_key', '=', keyOf('intents', $.intentId)),
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

// The conditions of its index, written out for the same reason.
const findApprovedSeq = prepare((db, $: Action & { beforeSeq: number }) =>
  seqsOfAction(db, $)
    .where('status', '=', APPROVED)
    .where('decision', '=', BY_PEOPLE)
    .where('seq', '<', $.beforeSeq)
    .orderBy('seq', 'desc'),
);

type EqualSince = Action & { paramsHash: string; since: Instant };

// The conditions of its index, as above.
const findApprovedEqualSeq = prepare((db, $: EqualSince) =>
  seqsOfAction(db, $)
    .where('params_hash', '=', $.paramsHash)
    .where('status', '=', APPROVED)
    .where('decision', '=', BY_PEOPLE)
    .where('approved_at', '>=', $.since)
    .orderBy('approved_at', 'desc'),
);

const findDeniedSeq = prepare((db, $: EqualSince) =>
  seqsOfAction(db, $)
    .where('params_hash', '=', $.paramsHash)
    .where('denied_by', 'is not', null)
    .where('resolved_at', '>=', $.since)
    .orderBy('resolved_at', 'desc'),
);

export const intentReads: OverRunner<IntentReader> = {
  async findIntent(run, id) {
    const row = await run.first(findRow, { id });
    return row && toIntent(row);
  },

  async listIntents(run, filter) {
    const beforeSeq = filter.beforeId === undefined ? undefined : await findSeq(run, filter, filter.beforeId);
    // A cursor outside what may be listed tells nothing, not even that there is such an intent.
    if (beforeSeq === null) return [];
    const seqs = await listNewest(run, filter, beforeSeq);
    const found = await Promise.all(seqs.map((seq) => readBySeq(run, { seq })));
    return found.filter((intent) => intent !== undefined);
  },

  async listDueIntents(run, now, limit) {
    return (await run.all(listDueRows, { now, limit })).map(dueIntent.toObject);
  },

  async listResolved(run, intentIds) {
    const found = await Promise.all(intentIds.map((id) => run.first(findResolved, { id })));
    return found.flatMap((row) => (row ? [row.id] : []));
  },

  async findNextExpiry(run) {
    return (await run.first(findEarliestExpiry, {}))?.expires_at;
  },

  async findPermit(run, intentId, id) {
    const row =
      (await run.first(findCurrentPermit, { intentId, id })) ??
      (await run.first(findSupersededPermit, { intentId, id }));
    return row && issuedPermit.toObject(row);
  },

  async findAskedAgain(run, intentId) {
    return (await run.first(findRepeated, { intentId }))?.id;
  },

  async hasApproved(run, projectId, action) {
    const beforeSeq = Number.MAX_SAFE_INTEGER;
    return (await run.first(findApprovedSeq, { projectId, action, beforeSeq })) !== undefined;
  },

  async findLastApproved(run, projectId, action, beforeId) {
    const position = beforeId === undefined ? undefined : await run.first(findPosition, { id: beforeId });
    const beforeSeq = position?.seq ?? Number.MAX_SAFE_INTEGER;
    return readBySeq(run, await run.first(findApprovedSeq, { projectId, action, beforeSeq }));
  },

  async findLastApprovedEqual(run, { projectId, action, paramsHash }, since) {
    return readBySeq(run, await run.first(findApprovedEqualSeq, { projectId, action, paramsHash, since }));
  },

  async findLastDenied(run, { projectId, action, paramsHash }, since) {
    return readBySeq(run, await run.first(findDeniedSeq, { projectId, action, paramsHash, since }));
  },
};

async function readBySeq(run: QueryRunner, found: { seq: number } | undefined): Promise<Intent | undefined> {
  const row = found && (await run.first(findRowBySeq, { seq: found.seq }));
  return row && toIntent(row);
}

/** Its place among all; null where it is none of those the filter is about. */
export async function findSeq(
  run: QueryRunner,
  filter: Pick<IntentFilter, 'projectIds' | 'agentId'>,
  id: string,
): Promise<number | null> {
  const position = await run.first(findPosition, { id });
  const listed =
    position !== undefined &&
    filter.projectIds.includes(position.project_id) &&
    (filter.agentId === undefined || filter.agentId === position.agent_id);
  return listed ? position.seq : null;
}

const STATUSES: Record<NonNullable<IntentFilter['status']> | 'any', readonly IntentStatus[]> = {
  any: ['pending', 'approved', 'denied', 'expired'],
  resolved: ['approved', 'denied', 'expired'],
  pending: ['pending'],
  approved: ['approved'],
  denied: ['denied'],
  expired: ['expired'],
};

/**
 * The newest of what the filter asks for, merged from one ordered walk for each project and status: every walk ends
 * after one page, however few of the rest are asked for.
 */
export async function listNewest(
  run: QueryRunner,
  { projectIds, status, agentId, limit }: Omit<IntentFilter, 'beforeId'>,
  beforeSeq: number | undefined,
): Promise<number[]> {
  const query = listSeqs({ ofAgent: agentId !== undefined, paged: beforeSeq !== undefined });
  const walks = projectIds.flatMap((projectId) =>
    STATUSES[status ?? 'any'].map((one) =>
      run.all(query, { projectId, status: one, agentId: agentId ?? '', beforeSeq: beforeSeq ?? 0, limit }),
    ),
  );
  const found = (await Promise.all(walks)).flat().map((row) => row.seq);
  return found.sort((a, b) => b - a).slice(0, limit);
}

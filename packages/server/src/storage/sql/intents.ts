/** Owns the intents as they are read: one by id, a page of a list, those whose time has passed. */
import type { IntentStatus } from '@permitry/protocol';
import { sql } from 'kysely';
import type { Intent, IntentFilter, IntentReader } from '../../gate/intents/intent.ts';
import { type IntentRow, toIntent } from './intent-row.ts';
import { type OverRunner, prepare, prepareShapes, type QueryRunner } from './prepared-query.ts';
import { keyOf } from './row-key.ts';

const ISSUED_COLUMNS = [
  'permits.token as permit_token',
  'permits.issued_at as permit_issued_at',
  'permits.expires_at as permit_expires_at',
  'receipts.content as receipt',
] as const;

const findRow = prepare((db, $: { id: string }) =>
  db
    .selectFrom('intents')
    .leftJoin('permits', 'permits.id', 'intents.permit_id')
    .leftJoin('receipts', 'receipts.receipt_index', 'intents.receipt_index')
    .selectAll('intents')
    .select(ISSUED_COLUMNS)
    .where('intents.id', '=', $.id),
);

type Shape = { status: 'any' | 'one' | 'resolved'; ofAgent: boolean; paged: boolean };

type FilterParams = {
  projectId: string;
  status: Intent['status'];
  agentId: string;
  beforeSeq: number;
  limit: number;
};

const listRows = prepareShapes((db, $: FilterParams, shape: Shape) => {
  let rows = db
    .selectFrom('intents')
    .leftJoin('permits', 'permits.id', 'intents.permit_id')
    .leftJoin('receipts', 'receipts.receipt_index', 'intents.receipt_index')
    .selectAll('intents')
    .select(ISSUED_COLUMNS)
    .where('intents.project_key', '=', keyOf('projects', $.projectId))
    .orderBy('intents.seq', 'desc')
    .limit($.limit);
  if (shape.status === 'one') rows = rows.where('intents.status', '=', $.status);
  if (shape.status === 'resolved') rows = rows.where('intents.status', '<>', 'pending');
  if (shape.ofAgent) rows = rows.where('intents.agent_key', '=', keyOf('agents', $.agentId));
  if (shape.paged) rows = rows.where('intents.seq', '<', $.beforeSeq);
  return rows;
});

const findPlace = prepare((db, $: { id: string }) =>
  db.selectFrom('intents').select(['seq', 'project_id', 'agent_id']).where('id', '=', $.id),
);

// Written into the text, not bound: only then may a database use the index kept for pending intents alone.
const PENDING = sql.lit<IntentStatus>('pending');

const listDueRows = prepare((db, $: { now: string; limit: number }) =>
  db
    .selectFrom('intents')
    .select(['id', 'project_id', 'expires_at'])
    .where('status', '=', PENDING)
    .where('expires_at', '<=', $.now)
    .orderBy('expires_at')
    .limit($.limit),
);

const findEarliestExpiry = prepare((db) =>
  db.selectFrom('intents').select('expires_at').where('status', '=', PENDING).orderBy('expires_at').limit(1),
);

const findPermitRow = prepare((db, $: { id: string }) =>
  db.selectFrom('permits').selectAll().where('id', '=', $.id),
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
    // One ordered walk per project, merged: an index led by project answers each without sorting.
    const pages = await Promise.all(
      filter.projectIds.map((projectId) => listOfProject(run, projectId, filter, beforeSeq)),
    );
    const rows = pages.flat();
    if (pages.length > 1) rows.sort((a, b) => b.seq - a.seq);
    return rows.slice(0, filter.limit).map(toIntent);
  },

  async listDueIntents(run, now, limit) {
    const rows = await run.all(listDueRows, { now, limit });
    return rows.map((row) => ({ id: row.id, projectId: row.project_id, expiresAt: row.expires_at }));
  },

  async findNextExpiry(run) {
    return (await run.first(findEarliestExpiry, {}))?.expires_at;
  },

  async findPermit(run, id) {
    const row = await run.first(findPermitRow, { id });
    return (
      row && {
        id: row.id,
        token: row.token,
        issuedAt: row.issued_at,
        expiresAt: row.expires_at,
        intentId: row.intent_id,
      }
    );
  },
};

async function findSeq(run: QueryRunner, filter: IntentFilter, id: string): Promise<number | null> {
  const place = await run.first(findPlace, { id });
  const listed =
    place !== undefined &&
    filter.projectIds.includes(place.project_id) &&
    (filter.agentId === undefined || filter.agentId === place.agent_id);
  return listed ? place.seq : null;
}

function listOfProject(
  run: QueryRunner,
  projectId: string,
  filter: IntentFilter,
  beforeSeq: number | undefined,
): Promise<IntentRow[]> {
  const { status, agentId, limit } = filter;
  const one = status === undefined || status === 'resolved' ? undefined : status;
  const query = listRows({
    status: one ? 'one' : status === 'resolved' ? 'resolved' : 'any',
    ofAgent: agentId !== undefined,
    paged: beforeSeq !== undefined,
  });
  return run.all(query, {
    projectId,
    status: one ?? 'pending',
    agentId: agentId ?? '',
    beforeSeq: beforeSeq ?? 0,
    limit,
  });
}

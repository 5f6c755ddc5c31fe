/** Owns the reads for an overview, which count intents along indexes, in stretches. */
import { INTENT_STATUSES, type IntentStatus } from '@permitry/protocol';
import { type Kysely, sql } from 'kysely';
import type { OverviewReader } from '../../gate/overview/overview.ts';
import { firstOfEach, type OverRunner, prepare } from '../sql/prepared-query.ts';
import { keyOf } from '../sql/row-key.ts';
import { type Database, intents } from '../sql/tables.ts';

const findSeqFrom = prepare((db, $: { id: string }) =>
  db.selectFrom('intents').select('seq').where('id', '>=', $.id).orderBy('id').limit(1),
);

const findLastSeq = prepare((db) => db.selectFrom('intents').select('seq').orderBy('seq', 'desc').limit(1));

type StretchParams = { projectId: string; status: IntentStatus; from: number; before: number };

function stretchOf(db: Kysely<Database>, $: StretchParams) {
  return db
    .selectFrom('intents')
    .where('project_key', '=', keyOf('projects', $.projectId))
    .where('status', '=', $.status)
    .where('seq', '>=', $.from)
    .where('seq', '<', $.before);
}

const countRows = prepare((db, $: StretchParams) =>
  stretchOf(db, $).select((eb) => eb.fn.countAll<number>().as('count')),
);

// Selects only numbers, for one status: the index contains every column of the query, in the query's order.
const listSeqs = prepare((db, $: StretchParams & { limit: number }) =>
  stretchOf(db, $).select('seq').orderBy('seq', 'desc').limit($.limit),
);

const overviewIntent = intents.pick(
  'status',
  'decision',
  'rule',
  'agentId',
  'source',
  'createdAt',
  'resolvedAt',
  'resolvedBy',
  'approvals',
);

const findRow = prepare((db, $: { seq: number }) =>
  db
    .selectFrom('intents')
    .select([...overviewIntent.columns, 'requester_type', 'requester_id', 'requester_display'])
    .where('seq', '=', $.seq),
);

const expiringIntent = intents.pick(
  'id',
  'action',
  'riskTier',
  'expiresAt',
  'approvalsReceived',
  'approvalsRequired',
);

const listExpiring = prepare((db, $: { expiresAt: string; seq: number; limit: number }) =>
  db
    .selectFrom('intents')
    .select([...expiringIntent.columns, 'seq', 'project_id'])
    // A literal, not a parameter: only then can a database use the partial index for pending intents.
    .where('status', '=', sql.lit<IntentStatus>('pending'))
    .where('expires_at', '>=', $.expiresAt)
    .where((eb) => eb.or([eb('expires_at', '>', $.expiresAt), eb('seq', '>', $.seq)]))
    .orderBy('expires_at')
    .orderBy('seq')
    .limit($.limit),
);

export const overviewQueries: OverRunner<OverviewReader> = {
  async findIntentPosition(run, fromId) {
    const first = await run.first(findSeqFrom, { id: fromId });
    return first?.seq ?? ((await run.first(findLastSeq, {}))?.seq ?? 0) + 1;
  },

  countIntents: async (run, projectId, status, from, before) =>
    (await run.first(countRows, { projectId, status, from, before }))?.count ?? 0,

  async listOverviewIntents(run, projectId, { from, before, length }) {
    const walks = INTENT_STATUSES.map((status) =>
      run.all(listSeqs, { projectId, status, from, before, limit: length }),
    );
    const found = (await Promise.all(walks)).flat();
    const seqs = found.sort((a, b) => b.seq - a.seq).slice(0, length);
    const rows = await firstOfEach(run, findRow, seqs);
    return {
      intents: rows.flatMap((row) => {
        if (!row) return [];
        const { requester_type: type, requester_id: id, requester_display: display } = row;
        return [Object.assign(overviewIntent.toObject(row), { requester: { type, id, display } })];
      }),
      next: (seqs.length === length && seqs.at(-1)?.seq) || null,
    };
  },

  async listExpiringIntents(run, projectId, { after, length }) {
    const rows = await run.all(listExpiring, {
      expiresAt: after.expiresAt,
      seq: after.position,
      limit: length,
    });
    const last = rows.at(-1);
    return {
      intents: rows.filter((row) => row.project_id === projectId).map(expiringIntent.toObject),
      next: rows.length === length && last ? { expiresAt: last.expires_at, position: last.seq } : null,
    };
  },
};

/** Owns the intents as people browse them: the front of their rows, and how many wait. */
import type { InboxReader, IntentBrief } from '../../gate/inbox/inbox.ts';
import { findSeq, listNewest } from './intents.ts';
import { fromJson } from './json.ts';
import { type OverRunner, prepare, type QueryRunner } from './prepared-query.ts';
import type { Row } from './tables.ts';

const BRIEF_COLUMNS = [
  'id',
  'project_id',
  'status',
  'action',
  'source',
  'risk_tier',
  'requester_display',
  'created_at',
  'expires_at',
  'resolved_by',
  'approvals',
] as const;

const findBrief = prepare((db, $: { seq: number }) =>
  db.selectFrom('intents').select(BRIEF_COLUMNS).where('seq', '=', $.seq),
);

const findNextOf = prepare((db, $: { seq: number }) =>
  db.selectFrom('intents').select(['seq', 'created_at']).where('seq', '>=', $.seq).orderBy('seq').limit(1),
);

const findLast = prepare((db) => db.selectFrom('intents').select('seq').orderBy('seq', 'desc').limit(1));

export const inboxReads: OverRunner<InboxReader> = {
  async listIntentBriefs(run, { projectIds, status, beforeId, from, to, limit }) {
    const cursor = beforeId === undefined ? undefined : await findSeq(run, { projectIds }, beforeId);
    // A cursor outside what may be listed tells nothing, not even that there is such an intent.
    if (cursor === null) return [];
    const last = to === undefined ? undefined : await firstMadeSince(run, to);
    const ends = [cursor, last].filter((seq) => seq !== undefined);
    const first = from === undefined ? 0 : await firstMadeSince(run, from);
    const seqs = await listNewest(
      run,
      { projectIds, status, limit },
      ends.length === 0 ? undefined : Math.min(...ends),
    );
    const wanted = seqs.filter((seq) => seq >= first);
    const rows = await Promise.all(wanted.map((seq) => run.first(findBrief, { seq })));
    return rows.flatMap((row) => (row ? [toBrief(row)] : []));
  },

  async countInbox(run, projectIds, most) {
    return (await listNewest(run, { projectIds, status: 'pending', limit: most }, undefined)).length;
  },
};

/** The number of the first intent made at this instant or later, found by halving: numbers follow time. */
async function firstMadeSince(run: QueryRunner, instant: string): Promise<number> {
  let low = 0;
  let high = ((await run.first(findLast, {}))?.seq ?? 0) + 1;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    const next = await run.first(findNextOf, { seq: middle });
    if (next && next.created_at < instant) low = next.seq + 1;
    else high = middle;
  }
  return low;
}

function toBrief(row: Pick<Row<'intents'>, (typeof BRIEF_COLUMNS)[number]>): IntentBrief {
  return {
    id: row.id,
    projectId: row.project_id,
    status: row.status,
    action: row.action,
    source: row.source,
    riskTier: row.risk_tier,
    requesterDisplay: row.requester_display,
    createdAt: row.created_at,
    expiresAt: row.expires_at,
    resolvedBy: row.resolved_by,
    approvals: fromJson(row.approvals),
  };
}

/**
 * Owns the reads for people who browse intents: a brief part of each row, the parameters for a search, and how many are
 * pending.
 */
import { type IntentStatus, RISK_TIERS, type RiskTier } from '@permitry/protocol';
import { sql } from 'kysely';
import type { InboxReader, IntentBrief, UrgentFilter } from '../../gate/inbox/inbox.ts';
import { firstOfEach, type OverRunner, prepare, type QueryRunner } from '../sql/prepared-query.ts';
import { keyOf } from '../sql/row-key.ts';
import { intents } from '../sql/tables.ts';
import { sizeOf } from '../sql/text-search.ts';
import { findSeq, listNewest } from './newest-intents.ts';

const brief = intents.pick(
  'id',
  'projectId',
  'status',
  'action',
  'source',
  'riskTier',
  'requesterDisplay',
  'createdAt',
  'expiresAt',
  'resolvedBy',
  'approvals',
);

const findBrief = prepare((db, $: { seq: number }) =>
  db
    .selectFrom('intents')
    .select([...brief.columns, sizeOf('params').as('params_bytes')])
    .where('seq', '=', $.seq),
);

const findParams = prepare((db, $: { id: string }) =>
  db.selectFrom('intents').select('params').where('id', '=', $.id),
);

const findUrgency = prepare((db, $: { seq: number }) =>
  db.selectFrom('intents').select(['risk_tier', 'expires_at']).where('seq', '=', $.seq),
);

interface UrgencyParams {
  projectId: string;
  riskTier: RiskTier;
  expiresAt: string;
  seq: number;
  limit: number;
}

// For one risk, the index contains every column of the query, in the query's order.
const listUrgentSeqs = prepare((db, $: UrgencyParams) =>
  db
    .selectFrom('intents')
    .select(['seq', 'risk_tier', 'expires_at'])
    .where('project_key', '=', keyOf('projects', $.projectId))
    .where('risk_tier', '=', $.riskTier)
    // A literal, not a parameter: only then can a database use the partial index for pending intents.
    .where('status', '=', sql.lit<IntentStatus>('pending'))
    .where(sql<boolean>`(expires_at, seq) > (${$.expiresAt}, ${$.seq})`)
    .orderBy('expires_at')
    .orderBy('seq')
    .limit($.limit),
);

const findNextOf = prepare((db, $: { seq: number }) =>
  db.selectFrom('intents').select(['seq', 'created_at']).where('seq', '>=', $.seq).orderBy('seq').limit(1),
);

const findLast = prepare((db) => db.selectFrom('intents').select('seq').orderBy('seq', 'desc').limit(1));

export const inboxQueries: OverRunner<InboxReader> = {
  async listIntentBriefs(run, { projectIds, status, beforeId, from, to, limit }) {
    const cursor = beforeId === undefined ? undefined : await findSeq(run, { projectIds }, beforeId);
    // A cursor outside the visible intents reveals nothing, not even that such an intent exists.
    if (cursor === null) return [];
    const last = to === undefined ? undefined : await firstMadeSince(run, to);
    const ends = [cursor, last].filter((seq) => seq !== undefined);
    const first = from === undefined ? 0 : await firstMadeSince(run, from);
    const seqs = await listNewest(
      run,
      { projectIds, status, limit },
      ends.length === 0 ? undefined : Math.min(...ends),
    );
    const wanted = seqs.filter(({ seq }) => seq >= first);
    return readBriefs(run, wanted);
  },

  listUrgentBriefs: async (run, filter) => readBriefs(run, await listUrgent(run, filter)),

  async readParams(run, intentIds) {
    const ids = intentIds.map((id) => ({ id }));
    const rows = await firstOfEach(run, findParams, ids);
    return new Map(
      intentIds.flatMap((id, position) => {
        const row = rows[position];
        return row ? [[id, row.params] as const] : [];
      }),
    );
  },

  countInbox: async (run, projectIds, most) =>
    (await listNewest(run, { projectIds, status: 'pending', limit: most }, undefined)).length,
};

/** A start before all times and before the first number. */
const START = { expiresAt: '', seq: 0 };

/** Merges one ordered walk per project and risk. Every walk ends after one page. */
async function listUrgent(
  run: QueryRunner,
  { projectIds, order, afterId, limit }: UrgentFilter,
): Promise<{ seq: number }[]> {
  const seq = afterId === undefined ? undefined : await findSeq(run, { projectIds }, afterId);
  // A cursor outside the visible intents reveals nothing, not even that such an intent exists.
  if (seq === null) return [];
  const last = seq === undefined ? undefined : await run.first(findUrgency, { seq });
  const position = seq === undefined || !last ? START : { expiresAt: last.expires_at, seq };
  const level = last && order === 'risk' ? rankOf(last.risk_tier) : undefined;
  const walks = projectIds.flatMap((projectId) =>
    RISK_TIERS.map((riskTier) => {
      // Pages go from the highest risk to the lowest. Higher risks are done, and lower ones have not begun.
      if (level !== undefined && rankOf(riskTier) > level) return [];
      const from = level !== undefined && rankOf(riskTier) < level ? START : position;
      return run.all(listUrgentSeqs, { projectId, riskTier, ...from, limit });
    }),
  );
  const found = (await Promise.all(walks)).flat();
  found.sort(
    (a, b) =>
      (order === 'risk' ? rankOf(b.risk_tier) - rankOf(a.risk_tier) : 0) ||
      (a.expires_at < b.expires_at ? -1 : a.expires_at > b.expires_at ? 1 : a.seq - b.seq),
  );
  return found.slice(0, limit);
}

function rankOf(riskTier: RiskTier): number {
  return RISK_TIERS.indexOf(riskTier);
}

/**
 * The number of the first intent created at this instant or later. Uses a binary search, because numbers follow time.
 */
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

async function readBriefs(run: QueryRunner, seqs: readonly { seq: number }[]): Promise<IntentBrief[]> {
  const rows = await firstOfEach(run, findBrief, seqs);
  return rows.flatMap((row) =>
    row ? [Object.assign(brief.toObject(row), { paramsBytes: row.params_bytes })] : [],
  );
}

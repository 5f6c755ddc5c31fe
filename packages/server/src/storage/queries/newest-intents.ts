/** Owns the reads of intents in order of creation, for the pages of lists. */
import type { IntentStatus } from '@permitry/protocol';
import type { IntentFilter } from '../../gate/intents/intent.ts';
import { prepare, prepareGiven, type QueryRunner } from '../sql/prepared-query.ts';
import { keyOf } from '../sql/row-key.ts';

interface FilterParams {
  projectId: string;
  status: IntentStatus;
  agentId: string | undefined;
  beforeSeq: number | undefined;
  limit: number;
}

// Selects only numbers, for one status: the index contains every column of the query, in the query's order.
const listSeqs = prepareGiven((db, { projectId, status, agentId, beforeSeq, limit }: FilterParams) => {
  let rows = db
    .selectFrom('intents')
    .select('seq')
    .where('status', '=', status)
    .orderBy('seq', 'desc')
    .limit(limit);
  rows =
    agentId === undefined
      ? rows.where('project_key', '=', keyOf('projects', projectId))
      : rows.where('agent_key', '=', keyOf('agents', agentId));
  return beforeSeq === undefined ? rows : rows.where('seq', '<', beforeSeq);
});

export const findPosition = prepare((db, $: { id: string }) =>
  db.selectFrom('intents').select(['seq', 'project_id', 'agent_id']).where('id', '=', $.id),
);

/** The intent's number in the order of creation. Null when the filter does not match the intent. */
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
 * The newest intents that match the filter, merged from one ordered walk per project and status. Every walk ends after
 * one page, however few match the rest of the filter.
 */
export async function listNewest(
  run: QueryRunner,
  { projectIds, status, agentId, limit }: Omit<IntentFilter, 'beforeId'>,
  beforeSeq: number | undefined,
): Promise<{ seq: number }[]> {
  const walks = projectIds.flatMap((projectId) =>
    STATUSES[status ?? 'any'].map((one) => {
      const params = { projectId, status: one, agentId, beforeSeq, limit };
      return run.all(listSeqs(params), params);
    }),
  );
  const found = (await Promise.all(walks)).flat();
  return found.sort((a, b) => b.seq - a.seq).slice(0, limit);
}

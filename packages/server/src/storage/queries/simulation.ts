/** Owns the reads for a simulation: intents in stretches, newest first, with the input of the policy. */
import {
  EFFECT_OF,
  fateOf,
  type PastIntent,
  type SimulationReader,
} from '../../gate/policy-management/simulation/simulation-job.ts';
import { type OverRunner, prepareGiven } from '../sql/prepared-query.ts';
import { countOf } from '../sql/read-statements.ts';
import { keyOf } from '../sql/row-key.ts';
import { intents, type Row } from '../sql/tables.ts';
import { toRequester } from './intent-row.ts';

const past = intents.pick('id', 'createdAt', 'agentId', 'erasedAt');
const asked = intents.pick(
  'action',
  'params',
  'metadata',
  'source',
  'sourceType',
  'requestedRiskTier',
  'requestedProofTier',
  'approvers',
  'minApprovals',
);
const COLUMNS = [
  'seq',
  ...past.columns,
  ...asked.columns,
  'requester_type',
  'requester_id',
  'requester_display',
  'requester_owner_id',
  'decision',
  'status',
  'rule',
] as const;

/** One status, or all but one. */
type StatusParams = Partial<Record<'status' | 'except', Row<'intents'>['status'] | undefined>>;

const countRows = countOf(
  intents,
  (rows, { projectId, status, except }: StatusParams & { projectId: string }) => {
    const ofProject = rows.where('project_key', '=', keyOf('projects', projectId));
    if (status !== undefined) return ofProject.where('status', '=', status);
    return except === undefined ? ofProject : ofProject.where('status', '<>', except);
  },
);

type StretchParams = StatusParams & { projectId: string; before: number | undefined; length: number };

/**
 * For one status, uses the index that begins with project and status. For several, walks the table itself: no index has
 * a project's intents in order of creation, and a simulation reads them all.
 */
const listRows = prepareGiven((db, { projectId, status, except, before, length }: StretchParams) => {
  let rows = db.selectFrom('intents').select(COLUMNS).orderBy('seq', 'desc').limit(length);
  rows =
    status === undefined
      ? rows.where('project_id', '=', projectId)
      : rows.where('project_key', '=', keyOf('projects', projectId)).where('status', '=', status);
  if (except !== undefined) rows = rows.where('status', '<>', except);
  return before === undefined ? rows : rows.where('seq', '<', before);
});

function toParams(status: Parameters<SimulationReader['countPastIntents']>[1]): StatusParams {
  return status === 'resolved' ? { except: 'pending' } : { status };
}

export const simulationQueries: OverRunner<Omit<SimulationReader, 'findAgent'>> = {
  countPastIntents: (run, projectId, status) => countRows(run, { projectId, ...toParams(status) }),

  async listPastIntents(run, projectId, { status, after, length }) {
    const params = { projectId, ...toParams(status), before: after ?? undefined, length };
    const rows = await run.all(listRows(params), params);
    const last = rows.at(-1);
    return {
      intents: rows.values().map(toPastIntent),
      next: rows.length === length && last ? last.seq : null,
    };
  },
};

/** Texts are parsed one intent at a time, because parsed texts take many times the memory. */
function toPastIntent(row: Pick<Row<'intents'>, (typeof COLUMNS)[number]>): PastIntent {
  return Object.assign(past.toObject(row), {
    made: { effect: EFFECT_OF[row.decision], rule: row.rule },
    fate: fateOf(row.decision, row.status),
    subject: Object.assign(asked.toObject(row), { requester: toRequester(row) }),
  });
}

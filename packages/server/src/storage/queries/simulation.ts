/** Owns the intents as a simulation reads them: in stretches, newest first, with what policy was asked about. */
import {
  EFFECT_OF,
  fateOf,
  type PastIntent,
  type SimulationReader,
} from '../../gate/policy-management/simulation/simulation-job.ts';
import { type OverRunner, prepareShapes } from '../sql/prepared-query.ts';
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

type StatusShape = { status: 'any' | 'one' | 'resolved' };
type StatusParams = { projectId: string; status: Row<'intents'>['status'] };

const countRows = prepareShapes((db, $: StatusParams, shape: StatusShape) => {
  const rows = db
    .selectFrom('intents')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('project_key', '=', keyOf('projects', $.projectId));
  if (shape.status === 'one') return rows.where('status', '=', $.status);
  if (shape.status === 'resolved') return rows.where('status', '<>', 'pending');
  return rows;
});

type StretchParams = StatusParams & { before: number; length: number };

/**
 * Of one status, by the index that begins with project and status. Of several, along the table itself: no index has a
 * project's intents in the order they were made, and a simulation reads them all.
 */
const listRows = prepareShapes((db, $: StretchParams, shape: StatusShape & { paged: boolean }) => {
  let rows = db.selectFrom('intents').select(COLUMNS).orderBy('seq', 'desc').limit($.length);
  if (shape.status === 'one') {
    rows = rows.where('project_key', '=', keyOf('projects', $.projectId)).where('status', '=', $.status);
  } else {
    rows = rows.where('project_id', '=', $.projectId);
  }
  if (shape.status === 'resolved') rows = rows.where('status', '<>', 'pending');
  if (shape.paged) rows = rows.where('seq', '<', $.before);
  return rows;
});

function shapeOf(status: Parameters<SimulationReader['countPastIntents']>[1]): {
  shape: StatusShape;
  one: Row<'intents'>['status'];
} {
  if (status === undefined) return { shape: { status: 'any' }, one: 'pending' };
  if (status === 'resolved') return { shape: { status: 'resolved' }, one: 'pending' };
  return { shape: { status: 'one' }, one: status };
}

export const simulationQueries: OverRunner<Omit<SimulationReader, 'findAgent'>> = {
  async countPastIntents(run, projectId, status) {
    const { shape, one } = shapeOf(status);
    return (await run.first(countRows(shape), { projectId, status: one }))?.count ?? 0;
  },

  async listPastIntents(run, projectId, { status, after, length }) {
    const { shape, one } = shapeOf(status);
    const query = listRows({ ...shape, paged: after !== null });
    const rows = await run.all(query, { projectId, status: one, before: after ?? 0, length });
    const last = rows.at(-1);
    return {
      intents: rows.values().map(toPastIntent),
      next: rows.length === length && last ? last.seq : null,
    };
  },
};

/** Its texts are parsed one intent at a time: parsed, they take many times the room. */
function toPastIntent(row: Pick<Row<'intents'>, (typeof COLUMNS)[number]>): PastIntent {
  return Object.assign(past.toObject(row), {
    made: { effect: EFFECT_OF[row.decision], rule: row.rule },
    fate: fateOf(row.decision, row.status),
    subject: Object.assign(asked.toObject(row), { requester: toRequester(row) }),
  });
}

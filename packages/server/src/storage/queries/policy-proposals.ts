/** Owns proposals to change a policy, and whether a project asks for a second person. */
import type {
  PolicyProposal,
  ProposalReader,
  ProposalWriter,
  WaitingProposal,
} from '../../gate/four-eyes/policy-proposal.ts';
import { type OverRunner, prepare, prepareShapes } from '../sql/prepared-query.ts';
import { findIn } from '../sql/read-statements.ts';
import { policyProposals, projects, type Row } from '../sql/tables.ts';
import { guarded, insertInto, updateWhere } from '../sql/write-statements.ts';

const find = findIn(policyProposals, 'id', 'projectId');
const insert = insertInto(policyProposals);

type ListParams = {
  projectId: string;
  status: PolicyProposal['status'];
  beforeId: string;
  limit: number;
};

const list = prepareShapes(
  (db, $: ListParams, shape: { paged: boolean; ofStatus: boolean; pending: boolean }) => {
    let rows = db
      .selectFrom('policy_proposals')
      .select(policyProposals.names)
      .where('project_id', '=', $.projectId)
      .orderBy('id', 'desc')
      .limit($.limit);
    // Said in so many words, so that the index of those that wait is seen to fit.
    if (shape.pending) rows = rows.where('status', '=', 'pending');
    else if (shape.ofStatus) rows = rows.where('status', '=', $.status);
    return shape.paged ? rows.where('id', '<', $.beforeId) : rows;
  },
);

const WAITING = [
  'id',
  'project_id',
  'change',
  'based_on_version',
  'based_on_hash',
  'proposer_id',
  'proposer',
  'created_at',
  'status',
] as const;

const listWaiting = prepare((db, $: { projectId: string }) =>
  db
    .selectFrom('policy_proposals')
    .select(WAITING)
    .where('project_id', '=', $.projectId)
    .where('status', '=', 'pending')
    .orderBy('id'),
);

const resolve = updateWhere(
  policyProposals,
  ['status', 'resolverId', 'resolver', 'resolvedAt', 'reason', 'version'],
  (rows, $: { id: string }) => rows.where('id', '=', $.id).where('status', '=', 'pending'),
);

const setSecondPerson = guarded(projects, (rows, $: { projectId: string; required: 0 | 1 }) =>
  rows
    .set({ policy_second_person: $.required })
    .where('id', '=', $.projectId)
    .where('policy_second_person', '<>', $.required),
);

export const proposalQueries: OverRunner<ProposalReader & ProposalWriter> = {
  async findPolicyProposal(run, projectId, id) {
    const row = await find(run, { id, projectId });
    return row && toProposal(row);
  },

  async listPolicyProposals(run, projectId, { status, beforeId, limit }) {
    const query = list({
      paged: beforeId !== undefined,
      ofStatus: status !== undefined,
      pending: status === 'pending',
    });
    const rows = await run.all(query, {
      projectId,
      status: status ?? 'pending',
      beforeId: beforeId ?? '',
      limit,
    });
    return rows.map((row) => toProposal(policyProposals.toObject(row)));
  },

  listWaitingProposals: async (run, projectId) =>
    (await run.all(listWaiting, { projectId })).map(toWaitingProposal),

  insertPolicyProposal: (run, proposal) =>
    insert(run, {
      ...proposal,
      basedOnVersion: proposal.basedOn.version,
      basedOnHash: proposal.basedOn.hash,
      proposerId: proposal.proposedBy.id,
      proposer: proposal.proposedBy.display,
      resolverId: proposal.resolvedBy?.id ?? null,
      resolver: proposal.resolvedBy?.display ?? null,
    }),

  resolvePolicyProposal: (run, id, { by, at, ...resolution }) =>
    resolve(run, { ...resolution, id, resolverId: by.id, resolver: by.display, resolvedAt: at }),

  setPolicySecondPerson: (run, projectId, required) =>
    setSecondPerson(run, { projectId, required: required ? 1 : 0 }),
};

function toWaitingProposal(row: Pick<Row<'policy_proposals'>, (typeof WAITING)[number]>): WaitingProposal {
  return {
    id: row.id,
    projectId: row.project_id,
    change: row.change,
    basedOn: { version: row.based_on_version, hash: row.based_on_hash },
    proposedBy: { id: row.proposer_id, display: row.proposer },
    createdAt: row.created_at,
    status: row.status,
  };
}

function toProposal(row: ReturnType<typeof policyProposals.toObject>): PolicyProposal {
  const { basedOnVersion, basedOnHash, proposerId, proposer, resolverId, resolver, ...proposal } = row;
  return {
    ...proposal,
    basedOn: { version: basedOnVersion, hash: basedOnHash },
    proposedBy: { id: proposerId, display: proposer },
    resolvedBy: resolverId === null ? null : { id: resolverId, display: resolver ?? resolverId },
  };
}

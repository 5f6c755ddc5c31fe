/** Owns proposals to change a policy, and whether a project asks for a second person. */
import type {
  PolicyProposal,
  ProposalReader,
  ProposalWriter,
  WaitingProposal,
} from '../../gate/four-eyes/policy-proposal.ts';
import { fromJson, toJson } from '../sql/column.ts';
import { type OverRunner, prepare, prepareShapes } from '../sql/prepared-query.ts';
import type { NewRow, Row } from '../sql/tables.ts';

const findRow = prepare((db, $: { projectId: string; id: string }) =>
  db.selectFrom('policy_proposals').selectAll().where('id', '=', $.id).where('project_id', '=', $.projectId),
);

type ListParams = {
  projectId: string;
  status: PolicyProposal['status'];
  beforeId: string;
  limit: number;
};

const listRows = prepareShapes(
  (db, $: ListParams, shape: { paged: boolean; ofStatus: boolean; pending: boolean }) => {
    let rows = db
      .selectFrom('policy_proposals')
      .selectAll()
      .where('project_id', '=', $.projectId)
      .orderBy('id', 'desc')
      .limit($.limit);
    // Said in so many words, so that the index of those that wait is seen to fit.
    if (shape.pending) rows = rows.where('status', '=', 'pending');
    else if (shape.ofStatus) rows = rows.where('status', '=', $.status);
    return shape.paged ? rows.where('id', '<', $.beforeId) : rows;
  },
);

const WAITING_COLUMNS = [
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

const listWaitingRows = prepare((db, $: { projectId: string }) =>
  db
    .selectFrom('policy_proposals')
    .select(WAITING_COLUMNS)
    .where('project_id', '=', $.projectId)
    .where('status', '=', 'pending')
    .orderBy('id'),
);

const insertRow = prepare((db, $: NewRow<'policy_proposals'>) =>
  db.insertInto('policy_proposals').values({
    id: $.id,
    project_id: $.project_id,
    change: $.change,
    hash: $.hash,
    document: $.document,
    based_on_version: $.based_on_version,
    based_on_hash: $.based_on_hash,
    comment: $.comment,
    proposer_id: $.proposer_id,
    proposer: $.proposer,
    created_at: $.created_at,
    status: $.status,
    resolver_id: $.resolver_id,
    resolver: $.resolver,
    resolved_at: $.resolved_at,
    reason: $.reason,
    version: $.version,
  }),
);

type ResolutionParams = Pick<
  Row<'policy_proposals'>,
  'id' | 'status' | 'resolver_id' | 'resolver' | 'resolved_at' | 'reason' | 'version'
>;

const resolveRow = prepare((db, $: ResolutionParams) =>
  db
    .updateTable('policy_proposals')
    .set({
      status: $.status,
      resolver_id: $.resolver_id,
      resolver: $.resolver,
      resolved_at: $.resolved_at,
      reason: $.reason,
      version: $.version,
    })
    .where('id', '=', $.id)
    .where('status', '=', 'pending'),
);

const setSecondPerson = prepare((db, $: { projectId: string; required: 0 | 1 }) =>
  db
    .updateTable('projects')
    .set({ policy_second_person: $.required })
    .where('id', '=', $.projectId)
    .where('policy_second_person', '<>', $.required),
);

export const proposalReads: OverRunner<ProposalReader> = {
  async findPolicyProposal(run, projectId, id) {
    const row = await run.first(findRow, { projectId, id });
    return row && toProposal(row);
  },

  async listPolicyProposals(run, projectId, { status, beforeId, limit }) {
    const query = listRows({
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
    return rows.map(toProposal);
  },

  async listWaitingProposals(run, projectId) {
    return (await run.all(listWaitingRows, { projectId })).map(toWaitingProposal);
  },
};

export const proposalWrites: OverRunner<ProposalWriter> = {
  async insertPolicyProposal(run, proposal) {
    await run.change(insertRow, {
      id: proposal.id,
      project_id: proposal.projectId,
      change: proposal.change,
      hash: proposal.hash,
      document: proposal.document && toJson(proposal.document),
      based_on_version: proposal.basedOn.version,
      based_on_hash: proposal.basedOn.hash,
      comment: proposal.comment,
      proposer_id: proposal.proposedBy.id,
      proposer: proposal.proposedBy.display,
      created_at: proposal.createdAt,
      status: proposal.status,
      resolver_id: proposal.resolvedBy?.id ?? null,
      resolver: proposal.resolvedBy?.display ?? null,
      resolved_at: proposal.resolvedAt,
      reason: proposal.reason,
      version: proposal.version,
    });
  },

  async resolvePolicyProposal(run, id, { status, at, by, reason, version }) {
    const changed = await run.change(resolveRow, {
      id,
      status,
      resolver_id: by.id,
      resolver: by.display,
      resolved_at: at,
      reason,
      version,
    });
    return changed === 1;
  },

  async setPolicySecondPerson(run, projectId, required) {
    return (await run.change(setSecondPerson, { projectId, required: required ? 1 : 0 })) === 1;
  },
};

function toWaitingProposal(
  row: Pick<Row<'policy_proposals'>, (typeof WAITING_COLUMNS)[number]>,
): WaitingProposal {
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

function toProposal(row: Row<'policy_proposals'>): PolicyProposal {
  return {
    ...toWaitingProposal(row),
    hash: row.hash,
    document: row.document === null ? null : fromJson(row.document),
    comment: row.comment,
    resolvedBy:
      row.resolver_id === null ? null : { id: row.resolver_id, display: row.resolver ?? row.resolver_id },
    resolvedAt: row.resolved_at,
    reason: row.reason,
    version: row.version,
  };
}

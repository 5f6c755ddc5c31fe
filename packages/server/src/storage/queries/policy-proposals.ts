/** Owns proposals to change a policy, and whether a project requires a second person. */
import type { PolicyProposal, ProposalReader, ProposalWriter } from '../../gate/four-eyes/policy-proposal.ts';
import { type OverRunner, prepare } from '../sql/prepared-query.ts';
import { findIn, rowsOf } from '../sql/read-statements.ts';
import { policyProposals, projects } from '../sql/tables.ts';
import { guarded, insertInto, updateWhere } from '../sql/write-statements.ts';

const find = findIn(policyProposals, 'id', 'projectId');
const insert = insertInto(policyProposals);

interface ListParams {
  projectId: string;
  status: PolicyProposal['status'] | undefined;
  beforeId: string | undefined;
  limit: number;
}

const list = rowsOf(policyProposals, (rows, $: ListParams) => {
  let newest = rows.where('project_id', '=', $.projectId).orderBy('id', 'desc').limit($.limit);
  if ($.status !== undefined) newest = newest.where('status', '=', $.status);
  return $.beforeId === undefined ? newest : newest.where('id', '<', $.beforeId);
});

const waiting = policyProposals.pick(
  'id',
  'projectId',
  'change',
  'basedOnVersion',
  'basedOnHash',
  'proposerId',
  'proposer',
  'createdAt',
  'status',
);

const listWaiting = prepare((db, $: { projectId: string }) =>
  db
    .selectFrom('policy_proposals')
    .select(waiting.columns)
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

  listPolicyProposals: async (run, projectId, { status, beforeId, limit }) =>
    (await list.all(run, { projectId, status, beforeId, limit })).map(toProposal),

  listWaitingProposals: async (run, projectId) =>
    (await run.all(listWaiting, { projectId })).map((row) => gathered(waiting.toObject(row))),

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

interface Flat {
  basedOnVersion: number;
  basedOnHash: string;
  proposerId: string;
  proposer: string;
}

/** Gathers the columns of the base version into one member, and those of the proposer into another. */
function gathered<T extends Flat>({ basedOnVersion, basedOnHash, proposerId, proposer, ...proposal }: T) {
  return {
    ...proposal,
    basedOn: { version: basedOnVersion, hash: basedOnHash },
    proposedBy: { id: proposerId, display: proposer },
  };
}

function toProposal({
  resolverId,
  resolver,
  ...proposal
}: ReturnType<typeof policyProposals.toObject>): PolicyProposal {
  const resolvedBy = resolverId === null ? null : { id: resolverId, display: resolver ?? resolverId };
  return { ...gathered(proposal), resolvedBy };
}

import {
  EmptyBody,
  Page,
  PolicyProposalSchema,
  ProposePolicy,
  RejectProposal,
  RequireSecondPerson,
  SecondPersonSchema,
  StrictObject,
} from '@permitry/protocol/schemas';
import Type, { type Static } from 'typebox';
import { toAgentChange } from '../../gate/agents/propose-agent-change.ts';
import { type PolicyProposal, PROPOSAL_STATUSES } from '../../gate/four-eyes/policy-proposal.ts';
import { requireSecondPerson } from '../../gate/four-eyes/require-second-person.ts';
import { approveProposal } from '../../gate/policy-management/proposals/approve-proposal.ts';
import { proposePolicy } from '../../gate/policy-management/proposals/propose-policy.ts';
import { getProposal, listProposals } from '../../gate/policy-management/proposals/read-proposals.ts';
import { rejectProposal, withdrawProposal } from '../../gate/policy-management/proposals/resolve-proposal.ts';
import { getCaller } from '../admission/request-context.ts';
import { PAGE_QUERY, toPageRequest, toWirePage } from '../routes/paging.ts';
import { ItemPath, PathId } from '../routes/route-schemas.ts';
import type { GateApp, RouteTools } from '../routes/surface.ts';
import { IfMatch, toHash } from './policies.ts';

const tags = ['Surface B: policies'];

const ProposalPath = StrictObject({
  id: PathId,
  proposal_id: PathId,
});

export function policyProposalRoutes(app: GateApp, tools: RouteTools): void {
  proposeRoutes(app, tools);
  resolveRoutes(app, tools);
  settingRoute(app, tools);
}

function proposeRoutes(app: GateApp, { gate, once }: RouteTools): void {
  app.post(
    '/projects/:id/policies/proposals',
    {
      schema: {
        operationId: 'proposePolicy',
        summary: 'Propose a policy for another person to publish',
        description:
          'The policy is checked as if it were published now. This needs a person in both modes, and in live mode one who is present in a browser. With `If-Match` the request is refused if another version was published in between.',
        tags,
        params: ItemPath,
        headers: IfMatch,
        body: ProposePolicy,
        response: { 201: PolicyProposalSchema },
      },
    },
    (request, reply) => {
      const ifMatch = toHash(request.headers['if-match']);
      const { policy, comment } = request.body;
      return once.answer(request, reply, {
        act: (caller, remember) => {
          const proposed = {
            projectId: request.params.id,
            document: policy,
            ...(comment === undefined ? {} : { comment }),
            ...(ifMatch === undefined ? {} : { ifMatch }),
          };
          return proposePolicy(gate, caller, proposed, remember);
        },
        toAnswer: ({ proposal, warnings }) => {
          const findings = warnings.map(({ path, message }) => ({ path, message }));
          return { status: 201, body: { ...toWireProposal(proposal), warnings: findings } };
        },
      });
    },
  );

  app.get(
    '/projects/:id/policies/proposals',
    {
      schema: {
        operationId: 'listPolicyProposals',
        summary: 'List proposals, newest first',
        tags,
        params: ItemPath,
        querystring: StrictObject({
          ...PAGE_QUERY,
          status: Type.Optional(Type.Enum([...PROPOSAL_STATUSES])),
        }),
        response: { 200: Page(PolicyProposalSchema) },
      },
    },
    async (request) => {
      const { status, ...page } = request.query;
      const proposals = await listProposals(gate, getCaller(request), {
        projectId: request.params.id,
        ...(status === undefined ? {} : { status }),
        ...toPageRequest(page),
      });
      return toWirePage(proposals, toWireProposal);
    },
  );

  app.get(
    '/projects/:id/policies/proposals/:proposal_id',
    {
      schema: {
        operationId: 'readPolicyProposal',
        summary: 'Read a proposal',
        tags,
        params: ProposalPath,
        response: { 200: PolicyProposalSchema },
      },
    },
    async (request) => toWireProposal(await getProposal(gate, getCaller(request), toInput(request.params))),
  );
}

function resolveRoutes(app: GateApp, { gate }: RouteTools): void {
  app.post(
    '/projects/:id/policies/proposals/:proposal_id/approve',
    {
      schema: {
        operationId: 'approvePolicyProposal',
        summary: 'Publish another person’s proposal, active from the next request on',
        description:
          'The proposer cannot do this. The request is refused (409) if another policy was published since the proposal.',
        tags,
        params: ProposalPath,
        body: EmptyBody,
        response: { 200: PolicyProposalSchema },
      },
    },
    async (request) =>
      toWireProposal(await approveProposal(gate, getCaller(request), toInput(request.params))),
  );

  app.post(
    '/projects/:id/policies/proposals/:proposal_id/reject',
    {
      schema: {
        operationId: 'rejectPolicyProposal',
        summary: 'Reject another person’s proposal',
        tags,
        params: ProposalPath,
        body: RejectProposal,
        response: { 200: PolicyProposalSchema },
      },
    },
    async (request) =>
      toWireProposal(
        await rejectProposal(gate, getCaller(request), { ...toInput(request.params), ...request.body }),
      ),
  );

  app.post(
    '/projects/:id/policies/proposals/:proposal_id/withdraw',
    {
      schema: {
        operationId: 'withdrawPolicyProposal',
        summary: 'Withdraw your own proposal',
        tags,
        params: ProposalPath,
        body: EmptyBody,
        response: { 200: PolicyProposalSchema },
      },
    },
    async (request) =>
      toWireProposal(await withdrawProposal(gate, getCaller(request), toInput(request.params))),
  );
}

function settingRoute(app: GateApp, { gate }: RouteTools): void {
  app.put(
    '/projects/:id/policies/second-person',
    {
      schema: {
        operationId: 'requireSecondPerson',
        summary: 'Turn on the two-person rule for policy changes, or propose turning it off',
        description:
          'Only an owner of a live project can do this. Turning the rule off itself needs another person’s approval: the answer is 202 with the pending proposal. The project shows the setting as `policy_second_person`.',
        tags,
        params: ItemPath,
        body: RequireSecondPerson,
        response: { 200: SecondPersonSchema, 202: SecondPersonSchema },
      },
    },
    async (request, reply) => {
      const input = { projectId: request.params.id, required: request.body.required };
      const { required, proposal } = await requireSecondPerson(gate, getCaller(request), input);
      reply.code(proposal ? 202 : 200);
      return { required, proposal: proposal && toWireProposal(proposal) };
    },
  );
}

function toInput({ id, proposal_id }: Static<typeof ProposalPath>) {
  return { projectId: id, proposalId: proposal_id };
}

function toWireAgentChange(proposal: PolicyProposal): Static<typeof PolicyProposalSchema>['agent'] {
  const change = toAgentChange(proposal);
  if (!change) return null;
  return { id: change.agent_id, name: change.name, before: change.before, after: change.after };
}

export function toWireProposal(proposal: PolicyProposal): Static<typeof PolicyProposalSchema> {
  const { proposedBy, resolvedBy } = proposal;
  return {
    id: proposal.id,
    change: proposal.change,
    status: proposal.status,
    hash: proposal.hash,
    policy: proposal.change === 'policy' ? proposal.document : null,
    agent: proposal.change === 'agent' ? toWireAgentChange(proposal) : null,
    based_on: { version: proposal.basedOn.version, hash: proposal.basedOn.hash },
    comment: proposal.comment,
    proposed_by: { id: proposedBy.id, display: proposedBy.display },
    created_at: proposal.createdAt,
    resolved_by: resolvedBy && { id: resolvedBy.id, display: resolvedBy.display },
    resolved_at: proposal.resolvedAt,
    reason: proposal.reason,
    version: proposal.version,
  };
}

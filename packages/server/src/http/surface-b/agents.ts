import {
  AgentSchema,
  EmptyBody,
  Page,
  RegisterAgent,
  StrictObject,
  UpdateAgent,
  UpdatedAgentSchema,
} from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import type { Agent } from '../../gate/agents/agent.ts';
import { fromWireProfile, toWireProfile } from '../../gate/agents/agent-profile.ts';
import { pauseAgent, resumeAgent, revokeAgent } from '../../gate/agents/agent-status.ts';
import { ORPHAN_SECONDS } from '../../gate/agents/orphan.ts';
import { getAgent, listAgents } from '../../gate/agents/read-agents.ts';
import { registerAgent } from '../../gate/agents/register-agent.ts';
import { updateAgent } from '../../gate/agents/update-agent.ts';
import { addSeconds } from '../../gate/kernel/instant.ts';
import { getCaller } from '../admission/request-context.ts';
import { PAGE_QUERY, toPageRequest, toWirePage } from '../routes/paging.ts';
import { ItemPath, PathId } from '../routes/route-schemas.ts';
import type { GateApp, RouteTools } from '../routes/surface.ts';
import { toWireProposal } from './policy-proposals.ts';

const AgentPath = StrictObject({
  id: PathId,
  agent_id: PathId,
});
const TAGS = ['Surface B: agents'];
const TAKES_PRESENCE = 'In live mode this needs a person who is present in a browser, or the operator.';
const PROGRAMS_TOO = 'Programs with the right to manage do this in live mode too.';

export function agentRoutes(app: GateApp, { gate, once }: RouteTools): void {
  app.post(
    '/projects/:id/agents',
    {
      schema: {
        operationId: 'registerAgent',
        summary: 'Register an agent',
        description: `In a project with the two-person rule, register an agent without labels, risk tier and fingerprint. Propose these afterwards, as a change of the agent. ${TAKES_PRESENCE}`,
        tags: TAGS,
        params: ItemPath,
        body: RegisterAgent,
        response: { 201: AgentSchema },
      },
    },
    (request, reply) =>
      once.answer(request, reply, {
        act: (caller, remember) => {
          const { name } = request.body;
          const agent = { projectId: request.params.id, ...fromWireProfile(request.body), name };
          return registerAgent(gate, caller, agent, remember);
        },
        toAnswer: (agent) => ({ status: 201, body: { ...toWireAgent(agent) } }),
      }),
  );

  app.get(
    '/projects/:id/agents',
    {
      schema: {
        operationId: 'listAgents',
        summary: 'List agents, newest first',
        tags: TAGS,
        params: ItemPath,
        querystring: StrictObject(PAGE_QUERY),
        response: { 200: Page(AgentSchema) },
      },
    },
    async (request) => {
      const input = { projectId: request.params.id, ...toPageRequest(request.query) };
      return toWirePage(await listAgents(gate, getCaller(request), input), toWireAgent);
    },
  );

  app.get(
    '/projects/:id/agents/:agent_id',
    {
      schema: {
        operationId: 'readAgent',
        summary: 'Read an agent',
        tags: TAGS,
        params: AgentPath,
        response: { 200: AgentSchema },
      },
    },
    async (request) => toWireAgent(await getAgent(gate, getCaller(request), toAgentInput(request.params))),
  );

  app.patch(
    '/projects/:id/agents/:agent_id',
    {
      schema: {
        operationId: 'updateAgent',
        summary: 'Change an agent or its owner',
        description: `Policy rules depend on the properties of agents. In a project with the two-person rule, a change of anything but \`framework\` is answered 202 with a proposal. Nothing changes until another person approves it (\`POST …/policies/proposals/:proposal_id/approve\`). ${TAKES_PRESENCE}`,
        tags: TAGS,
        params: AgentPath,
        body: UpdateAgent,
        response: { 200: UpdatedAgentSchema, 202: UpdatedAgentSchema },
      },
    },
    async (request, reply) => {
      const { owner_id: ownerId, ...profile } = request.body;
      const { agent, proposal } = await updateAgent(gate, getCaller(request), {
        ...toAgentInput(request.params),
        ...fromWireProfile(profile),
        ...(ownerId === undefined ? {} : { ownerId }),
      });
      if (proposal === null) return toWireAgent(agent);
      reply.code(202);
      return { ...toWireAgent(agent), proposal: toWireProposal(proposal) };
    },
  );

  for (const [verb, act, summary, description] of [
    [
      'pause',
      pauseAgent,
      'Pause an agent: it can create no intents, and its permits are refused',
      PROGRAMS_TOO,
    ],
    ['resume', resumeAgent, 'Resume a paused agent', TAKES_PRESENCE],
    ['revoke', revokeAgent, 'Revoke an agent permanently', PROGRAMS_TOO],
  ] as const) {
    app.post(
      `/projects/:id/agents/:agent_id/${verb}`,
      {
        schema: {
          operationId: `${verb}Agent`,
          summary,
          description,
          tags: TAGS,
          params: AgentPath,
          body: EmptyBody,
          response: { 200: AgentSchema },
        },
      },
      async (request) => toWireAgent(await act(gate, getCaller(request), toAgentInput(request.params))),
    );
  }
}

function toAgentInput(path: Static<typeof AgentPath>): { projectId: string; agentId: string } {
  return { projectId: path.id, agentId: path.agent_id };
}

function toWireAgent(agent: Agent): Static<typeof AgentSchema> {
  return {
    id: agent.id,
    status: agent.status,
    ...toWireProfile(agent),
    keys_end_at: agent.ownerLeftAt === null ? null : addSeconds(agent.ownerLeftAt, ORPHAN_SECONDS),
    created_at: agent.createdAt,
    last_seen_at: agent.lastSeenAt,
  };
}

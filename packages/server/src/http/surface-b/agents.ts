import type { JsonObject } from '@permitry/protocol';
import {
  AgentSchema,
  EmptyBody,
  Page,
  RegisterAgent,
  StrictObject,
  UpdateAgent,
} from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import type { Agent } from '../../gate/agents/agent.ts';
import type { AgentChanges } from '../../gate/agents/agent-profile.ts';
import { pauseAgent, resumeAgent, revokeAgent } from '../../gate/agents/agent-status.ts';
import { getAgent, listAgents } from '../../gate/agents/read-agents.ts';
import { registerAgent } from '../../gate/agents/register-agent.ts';
import { updateAgent } from '../../gate/agents/update-agent.ts';
import { PAGE_QUERY, toPageRequest, toWirePage } from '../shared/paging.ts';
import { getCaller } from '../shared/request-context.ts';
import { ItemPath, PathId } from '../shared/route-schemas.ts';
import type { GateApp, RouteTools } from '../shared/surface.ts';

const AgentPath = StrictObject({
  id: PathId,
  agent_id: PathId,
});
const TAGS = ['Surface B: agents'];

export function agentRoutes(app: GateApp, { gate, once }: RouteTools): void {
  app.post(
    '/projects/:id/agents',
    {
      schema: {
        operationId: 'registerAgent',
        summary: 'Register an agent',
        tags: TAGS,
        params: ItemPath,
        body: RegisterAgent,
        response: { 201: AgentSchema },
      },
    },
    (request, reply) =>
      once.answer(request, reply, {
        act: async (gate, caller) => {
          const agent = await registerAgent(gate, caller, {
            projectId: request.params.id,
            ...toAgentChanges(request.body),
            name: request.body.name,
          });
          return { status: 201, body: { ...toWireAgent(agent) } };
        },
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
        summary: 'Change what is said of an agent',
        tags: TAGS,
        params: AgentPath,
        body: UpdateAgent,
        response: { 200: AgentSchema },
      },
    },
    async (request) => {
      const input = { ...toAgentInput(request.params), ...toAgentChanges(request.body) };
      return toWireAgent(await updateAgent(gate, getCaller(request), input));
    },
  );

  for (const [verb, act, summary] of [
    ['pause', pauseAgent, 'Pause an agent: it creates nothing and its permits authorise nothing'],
    ['resume', resumeAgent, 'End a pause'],
    ['revoke', revokeAgent, 'Revoke an agent, for good'],
  ] as const) {
    app.post(
      `/projects/:id/agents/:agent_id/${verb}`,
      {
        schema: {
          operationId: `${verb}Agent`,
          summary,
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

function toAgentChanges(body: Static<typeof UpdateAgent>): AgentChanges {
  return {
    ...(body.name === undefined ? {} : { name: body.name }),
    ...(body.fingerprint === undefined ? {} : { fingerprint: body.fingerprint }),
    ...(body.framework === undefined ? {} : { framework: body.framework }),
    ...(body.labels === undefined ? {} : { labels: body.labels as JsonObject }),
    ...(body.risk_tier === undefined ? {} : { riskTier: body.risk_tier }),
  };
}

function toWireAgent(agent: Agent): Static<typeof AgentSchema> {
  return {
    id: agent.id,
    name: agent.name,
    status: agent.status,
    fingerprint: agent.fingerprint,
    framework: agent.framework,
    labels: agent.labels,
    risk_tier: agent.riskTier,
    created_at: agent.createdAt,
    last_seen_at: agent.lastSeenAt,
  };
}

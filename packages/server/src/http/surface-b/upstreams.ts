import {
  ApproveTools,
  CreateUpstream,
  EmptyBody,
  Page,
  ProtectedToolList,
  StrictObject,
  UpdateUpstream,
  UpstreamSchema,
  UpstreamToolList,
  type UpstreamToolSchema,
  WithdrawTools,
} from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import { onlyGiven } from '../../gate/kernel/only-given.ts';
import { addUpstream } from '../../gate/upstreams/add-upstream.ts';
import { approveTools, withdrawTools } from '../../gate/upstreams/approve-tools.ts';
import { riskTierOf } from '../../gate/upstreams/offered-tool.ts';
import {
  getUpstream,
  listProtectedTools,
  listUpstreams,
  listUpstreamTools,
  refreshUpstream,
} from '../../gate/upstreams/read-upstreams.ts';
import { removeUpstream, updateUpstream } from '../../gate/upstreams/update-upstream.ts';
import type { Upstream, UpstreamTool } from '../../gate/upstreams/upstream.ts';
import { getCaller } from '../admission/request-context.ts';
import { PAGE_QUERY, toPageRequest, toWirePage } from '../routes/paging.ts';
import { ItemPath, NoContent, PathId } from '../routes/route-schemas.ts';
import type { GateApp, RouteTools } from '../routes/surface.ts';
import { toWireTool } from '../wire/to-wire-tool.ts';

const UpstreamPath = StrictObject({ id: PathId, upstream_id: PathId });
const tags = ['Surface B: upstream servers'];

export function upstreamRoutes(app: GateApp, tools: RouteTools): void {
  createRoute(app, tools);
  readRoutes(app, tools);
  changeRoutes(app, tools);
  toolRoutes(app, tools);
}

function createRoute(app: GateApp, { gate, once }: RouteTools): void {
  app.post(
    '/projects/:id/upstreams',
    {
      schema: {
        operationId: 'createUpstream',
        summary: 'Put an MCP server behind the gate',
        description:
          'None of its tools is offered before it was read (`refresh`), reviewed and approved. Only the operator can register a command on the gate’s machine: `permitry upstream add`. In live mode this needs a person who is present in a browser.',
        tags,
        params: ItemPath,
        body: CreateUpstream,
        response: { 201: UpstreamSchema },
      },
    },
    (request, reply) =>
      once.answer(request, reply, {
        act: (caller, remember) => {
          const {
            name,
            url,
            headers = {},
            risk_tier: riskTier,
            timeout_seconds: timeoutSeconds,
          } = request.body;
          const upstream = {
            projectId: request.params.id,
            name,
            settings: { kind: 'http' as const, url, headers },
            ...onlyGiven({ riskTier, timeoutSeconds }),
          };
          return addUpstream(gate, caller, upstream, remember);
        },
        toAnswer: (upstream) => ({ status: 201, body: toWireUpstream(upstream) }),
      }),
  );
}

function readRoutes(app: GateApp, { gate }: RouteTools): void {
  app.get(
    '/projects/:id/upstreams',
    {
      schema: {
        operationId: 'listUpstreams',
        summary: 'List MCP servers, newest first',
        tags,
        params: ItemPath,
        querystring: StrictObject(PAGE_QUERY),
        response: { 200: Page(UpstreamSchema) },
      },
    },
    async (request) => {
      const input = { projectId: request.params.id, ...toPageRequest(request.query) };
      return toWirePage(await listUpstreams(gate, getCaller(request), input), toWireUpstream);
    },
  );

  app.get(
    '/projects/:id/upstreams/:upstream_id',
    {
      schema: {
        operationId: 'readUpstream',
        summary: 'Read an MCP server',
        tags,
        params: UpstreamPath,
        response: { 200: UpstreamSchema },
      },
    },
    async (request) => toWireUpstream(await getUpstream(gate, getCaller(request), toInput(request.params))),
  );

  app.get(
    '/projects/:id/tools',
    {
      schema: {
        operationId: 'listProtectedTools',
        summary: 'List the project’s protected tools as its agents see them',
        tags,
        params: ItemPath,
        response: { 200: ProtectedToolList },
      },
    },
    async (request) => {
      const tools = await listProtectedTools(gate, getCaller(request), request.params.id);
      return { data: tools.map(toWireTool) };
    },
  );
}

function changeRoutes(app: GateApp, { gate }: RouteTools): void {
  app.patch(
    '/projects/:id/upstreams/:upstream_id',
    {
      schema: {
        operationId: 'updateUpstream',
        summary: 'Change the address, headers or limits of an MCP server',
        description:
          'Properties that are left out do not change. A new address means that its tools need approval again. In live mode this needs a person who is present in a browser.',
        tags,
        params: UpstreamPath,
        body: UpdateUpstream,
        response: { 200: UpstreamSchema },
      },
    },
    async (request) => {
      const { url, headers, risk_tier: riskTier, timeout_seconds: timeoutSeconds } = request.body;
      const upstream = await updateUpstream(gate, getCaller(request), {
        ...toInput(request.params),
        ...onlyGiven({ url, headers, riskTier, timeoutSeconds }),
      });
      return toWireUpstream(upstream);
    },
  );

  app.delete(
    '/projects/:id/upstreams/:upstream_id',
    {
      schema: {
        operationId: 'deleteUpstream',
        summary: 'Remove an MCP server, its tools and their approvals',
        description: 'In live mode this needs a person who is present in a browser.',
        tags,
        params: UpstreamPath,
        response: { 204: NoContent },
      },
    },
    (request) => removeUpstream(gate, getCaller(request), toInput(request.params)),
  );
}

function toolRoutes(app: GateApp, { gate }: RouteTools): void {
  app.get(
    '/projects/:id/upstreams/:upstream_id/tools',
    {
      schema: {
        operationId: 'listUpstreamTools',
        summary: 'List the tools of an MCP server as last found and as approved',
        tags,
        params: UpstreamPath,
        response: { 200: UpstreamToolList },
      },
    },
    async (request) => {
      const [caller, named] = [getCaller(request), toInput(request.params)];
      const upstream = await getUpstream(gate, caller, named);
      const tools = await listUpstreamTools(gate, caller, named);
      return { data: tools.map((tool) => toWireUpstreamTool(upstream, tool)) };
    },
  );

  app.post(
    '/projects/:id/upstreams/:upstream_id/refresh',
    {
      schema: {
        operationId: 'refreshUpstream',
        summary: 'Read the tools of an MCP server now',
        description: 'Connects if necessary. If the server cannot be reached, the answer says so in `error`.',
        tags,
        params: UpstreamPath,
        body: EmptyBody,
        response: { 200: UpstreamSchema },
      },
    },
    async (request) =>
      toWireUpstream(await refreshUpstream(gate, getCaller(request), toInput(request.params))),
  );

  app.post(
    '/projects/:id/upstreams/:upstream_id/tools/approve',
    {
      schema: {
        operationId: 'approveUpstreamTools',
        summary: 'Approve tools exactly as they were reviewed',
        description:
          'Approves all of them or none: 409 if one has changed since the review. In live mode this needs a person who is present in a browser.',
        tags,
        params: UpstreamPath,
        body: ApproveTools,
        response: { 200: UpstreamToolList },
      },
    },
    async (request) => {
      const [caller, named] = [getCaller(request), toInput(request.params)];
      const tools = await approveTools(gate, caller, {
        ...named,
        tools: request.body.tools.map(({ name, hash, risk_tier: riskTier }) => ({
          name,
          hash,
          ...onlyGiven({ riskTier }),
        })),
      });
      const upstream = await getUpstream(gate, caller, named);
      return { data: tools.map((tool) => toWireUpstreamTool(upstream, tool)) };
    },
  );

  app.post(
    '/projects/:id/upstreams/:upstream_id/tools/withdraw',
    {
      schema: {
        operationId: 'withdrawUpstreamTools',
        summary: 'Disable tools and forget their approvals',
        description: 'In live mode this needs a person who is present in a browser.',
        tags,
        params: UpstreamPath,
        body: WithdrawTools,
        response: { 204: NoContent },
      },
    },
    (request) =>
      withdrawTools(gate, getCaller(request), { ...toInput(request.params), tools: request.body.tools }),
  );
}

function toInput({ id, upstream_id }: Static<typeof UpstreamPath>) {
  return { projectId: id, upstreamId: upstream_id };
}

function toWireUpstream(upstream: Upstream): Static<typeof UpstreamSchema> {
  return {
    id: upstream.id,
    name: upstream.name,
    kind: upstream.kind,
    target: upstream.target,
    secret_names: [...upstream.secretNames],
    risk_tier: upstream.riskTier,
    timeout_seconds: upstream.timeoutSeconds,
    server: upstream.server,
    looked_at: upstream.polledAt,
    failing_since: upstream.failingSince,
    error: upstream.error,
    created_at: upstream.createdAt,
    updated_at: upstream.updatedAt,
  };
}

function toWireUpstreamTool(
  upstream: Pick<Upstream, 'name' | 'riskTier'>,
  tool: UpstreamTool,
): Static<typeof UpstreamToolSchema> {
  const isCallable = tool.found !== null || tool.pinned !== null;
  return {
    name: tool.name,
    action: isCallable ? `${upstream.name}.${tool.name}` : null,
    state: tool.state,
    obstacle: tool.obstacle,
    risk_tier: riskTierOf(upstream, tool, tool.pinned ?? tool.found),
    risk_tier_set: tool.riskTier,
    found: tool.found,
    pinned: tool.pinned,
    found_at: tool.foundAt,
    changed_at: tool.changedAt,
    approved_at: tool.approvedAt,
  };
}

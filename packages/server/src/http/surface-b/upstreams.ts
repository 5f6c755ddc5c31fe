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
  WithdrawTools,
} from '@permitry/protocol/schemas';
import { addUpstream } from '../../gate/upstreams/add-upstream.ts';
import { approveTools, withdrawTools } from '../../gate/upstreams/approve-tools.ts';
import {
  getUpstream,
  listProtectedTools,
  listUpstreams,
  listUpstreamTools,
  refreshUpstream,
} from '../../gate/upstreams/read-upstreams.ts';
import { removeUpstream, updateUpstream } from '../../gate/upstreams/update-upstream.ts';
import { getCaller } from '../admission/request-context.ts';
import { PAGE_QUERY, toPageRequest, toWirePage } from '../routes/paging.ts';
import { ItemPath, NoContent, PathId } from '../routes/route-schemas.ts';
import type { GateApp, RouteTools } from '../routes/surface.ts';
import { toWireTool } from '../wire/to-wire-tool.ts';
import { toWireUpstream, toWireUpstreamTool } from './to-wire-upstream.ts';

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
            ...(riskTier === undefined ? {} : { riskTier }),
            ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
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
    async (request) => {
      const { id: projectId, upstream_id: upstreamId } = request.params;
      return toWireUpstream(await getUpstream(gate, getCaller(request), { projectId, upstreamId }));
    },
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
      const { id: projectId, upstream_id: upstreamId } = request.params;
      const { url, headers, risk_tier: riskTier, timeout_seconds: timeoutSeconds } = request.body;
      const upstream = await updateUpstream(gate, getCaller(request), {
        projectId,
        upstreamId,
        ...(url === undefined ? {} : { url }),
        ...(headers === undefined ? {} : { headers }),
        ...(riskTier === undefined ? {} : { riskTier }),
        ...(timeoutSeconds === undefined ? {} : { timeoutSeconds }),
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
    async (request, reply) => {
      const { id: projectId, upstream_id: upstreamId } = request.params;
      await removeUpstream(gate, getCaller(request), { projectId, upstreamId });
      return reply.code(204).send(undefined);
    },
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
      const { id: projectId, upstream_id: upstreamId } = request.params;
      const [caller, named] = [getCaller(request), { projectId, upstreamId }];
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
    async (request) => {
      const { id: projectId, upstream_id: upstreamId } = request.params;
      return toWireUpstream(await refreshUpstream(gate, getCaller(request), { projectId, upstreamId }));
    },
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
      const { id: projectId, upstream_id: upstreamId } = request.params;
      const [caller, named] = [getCaller(request), { projectId, upstreamId }];
      const tools = await approveTools(gate, caller, {
        ...named,
        tools: request.body.tools.map(({ name, hash, risk_tier: riskTier }) => ({
          name,
          hash,
          ...(riskTier === undefined ? {} : { riskTier }),
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
    async (request, reply) => {
      const { id: projectId, upstream_id: upstreamId } = request.params;
      await withdrawTools(gate, getCaller(request), { projectId, upstreamId, tools: request.body.tools });
      return reply.code(204).send(undefined);
    },
  );
}

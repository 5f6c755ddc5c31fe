import type { JsonObject } from '@permitry/protocol';
import { ShadowDivergencesSchema, ShadowPolicySchema, StrictObject } from '@permitry/protocol/schemas';
import type { FastifyReply } from 'fastify';
import Type, { type Static } from 'typebox';
import { putShadow, removeShadow } from '../../gate/policy-management/shadow/put-shadow.ts';
import {
  getShadow,
  readShadowDivergences,
  type ShadowReport,
} from '../../gate/policy-management/shadow/read-shadow.ts';
import type { ShadowPolicy } from '../../gate/policy-management/shadow/shadow-policy.ts';
import { getCaller } from '../admission/request-context.ts';
import { PAGE_QUERY, toPageRequest } from '../routes/paging.ts';
import { ItemPath, NoContent } from '../routes/route-schemas.ts';
import type { GateApp, RouteTools } from '../routes/surface.ts';
import { IfMatch, toHash } from './policies.ts';

const TAGS = ['Surface B: policies'];

export function shadowRoutes(app: GateApp, tools: RouteTools): void {
  changeRoutes(app, tools);
  readRoutes(app, tools);
}

function changeRoutes(app: GateApp, { gate }: RouteTools): void {
  app.put(
    '/projects/:id/policies/shadow',
    {
      schema: {
        operationId: 'putShadowPolicy',
        summary: 'Set the shadow policy, evaluated beside the active one from the next request on',
        description:
          'A shadow policy never takes effect: its differences are counted and listed. Another document resets the count. With `If-Match` the request is refused if another shadow policy was set in between. In live mode this needs a person who is present in a browser.',
        tags: TAGS,
        params: ItemPath,
        headers: IfMatch,
        body: Type.Unsafe<JsonObject>({ type: 'object', description: 'Policy document.' }),
        response: { 200: ShadowPolicySchema },
      },
    },
    async (request, reply) => {
      const ifMatch = toHash(request.headers['if-match']);
      const { shadow, warnings } = await putShadow(gate, getCaller(request), {
        projectId: request.params.id,
        document: request.body,
        ...(ifMatch === undefined ? {} : { ifMatch }),
      });
      tag(reply, shadow);
      return { ...toWireShadow(shadow), warnings: warnings.map(({ path, message }) => ({ path, message })) };
    },
  );

  app.delete(
    '/projects/:id/policies/shadow',
    {
      schema: {
        operationId: 'removeShadowPolicy',
        summary: 'Remove the shadow policy and its differences',
        description: 'In live mode this needs a person who is present in a browser.',
        tags: TAGS,
        params: ItemPath,
        headers: IfMatch,
        // Undefined, not null: null would be sent as the text `null`, but a 204 has no body.
        response: { 204: NoContent },
      },
    },
    async (request) => {
      const ifMatch = toHash(request.headers['if-match']);
      await removeShadow(gate, getCaller(request), {
        projectId: request.params.id,
        ...(ifMatch === undefined ? {} : { ifMatch }),
      });
    },
  );
}

function readRoutes(app: GateApp, { gate }: RouteTools): void {
  app.get(
    '/projects/:id/policies/shadow',
    {
      schema: {
        operationId: 'readShadowPolicy',
        summary: 'Read the shadow policy',
        description: 'Its hash is the ETag.',
        tags: TAGS,
        params: ItemPath,
        response: { 200: ShadowPolicySchema },
      },
    },
    async (request, reply) => {
      const shadow = await getShadow(gate, getCaller(request), { projectId: request.params.id });
      tag(reply, shadow);
      return toWireShadow(shadow);
    },
  );

  app.get(
    '/projects/:id/policies/shadow/divergences',
    {
      schema: {
        operationId: 'listShadowDivergences',
        summary: 'List what the shadow policy would have decided differently',
        description:
          'Counts all differences since the shadow policy was set, and lists the latest 1,000. Of more than a hundred within half a second, the latest are listed. They are found after each request was answered, so the last second may be missing, and a crash may lose some.',
        tags: TAGS,
        params: ItemPath,
        querystring: StrictObject(PAGE_QUERY),
        response: { 200: ShadowDivergencesSchema },
      },
    },
    async (request) => {
      const report = await readShadowDivergences(gate, getCaller(request), {
        projectId: request.params.id,
        ...toPageRequest(request.query),
      });
      return toWireDivergences(report);
    },
  );
}

function tag(reply: FastifyReply, { hash }: ShadowPolicy): void {
  reply.header('etag', `"${hash}"`);
}

function toWireShadow(shadow: ShadowPolicy): Static<typeof ShadowPolicySchema> {
  return {
    id: shadow.hash,
    hash: shadow.hash,
    policy: shadow.document,
    since: shadow.since,
    created_by: shadow.createdBy,
    evaluated: shadow.evaluated,
    diverged: shadow.diverged,
  };
}

function toWireDivergences(report: ShadowReport): Static<typeof ShadowDivergencesSchema> {
  const { shadow, groups, failures, divergences } = report;
  return {
    hash: shadow.hash,
    since: shadow.since,
    evaluated: shadow.evaluated,
    diverged: shadow.diverged,
    groups: groups.map(({ from, to, direction, terms, count }) => ({
      in_force: from,
      shadow: to,
      direction,
      terms: [...terms],
      count,
    })),
    failures: failures.map(({ rule, count }) => ({ rule, count })),
    data: divergences.items.map(({ intentId, at, inForce, shadow: said, direction, terms }) => ({
      intent_id: intentId,
      at,
      in_force: inForce,
      shadow: said,
      direction,
      terms: [...terms],
    })),
    next_cursor: divergences.nextCursor,
  };
}

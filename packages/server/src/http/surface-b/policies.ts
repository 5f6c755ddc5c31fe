import type { JsonObject } from '@permitry/protocol';
import { Page, PolicySchema, StrictObject } from '@permitry/protocol/schemas';
import type { FastifyReply } from 'fastify';
import Type, { type Static } from 'typebox';
import { putPolicy } from '../../gate/policy-management/put-policy.ts';
import { getPolicy, listPolicyVersions } from '../../gate/policy-management/read-policy.ts';
import type { PolicyVersion } from '../../gate/projects/project.ts';
import { getCaller } from '../admission/request-context.ts';
import { PAGE_QUERY, toPageRequest, toWirePage } from '../routes/paging.ts';
import { ItemPath } from '../routes/route-schemas.ts';
import type { GateApp, RouteTools } from '../routes/surface.ts';

const TAGS = ['Surface B: policies'];

/** One strong entity tag (RFC 9110 §8.8.3), or `*` for any active version. */
export const IfMatch = Type.Object({ 'if-match': Type.Optional(Type.String({ maxLength: 100 })) });

export function policyRoutes(app: GateApp, { gate }: RouteTools): void {
  app.get(
    '/projects/:id/policies',
    {
      schema: {
        operationId: 'readPolicy',
        summary: 'Read the active policy',
        description: 'Its hash is the ETag.',
        tags: TAGS,
        params: ItemPath,
        response: { 200: PolicySchema },
      },
    },
    async (request, reply) => {
      const policy = await getPolicy(gate, getCaller(request), { projectId: request.params.id });
      tag(reply, policy);
      return toWirePolicy(policy);
    },
  );

  app.put(
    '/projects/:id/policies',
    {
      schema: {
        operationId: 'putPolicy',
        summary: 'Publish a policy, active from the next request on',
        description:
          'The policy is parsed and type-checked first; every problem has its path and position. With `If-Match` the request is refused if another version was published in between. In live mode this needs a person who is present in a browser. In a project with the two-person rule it is refused (`required: second_person`): propose the change instead.',
        tags: TAGS,
        params: ItemPath,
        headers: IfMatch,
        // The operation checks the document, with better messages than a JSON Schema gives.
        body: Type.Unsafe<JsonObject>({ type: 'object', description: 'Policy document.' }),
        response: { 200: PolicySchema },
      },
    },
    async (request, reply) => {
      const ifMatch = toHash(request.headers['if-match']);
      const { policy, warnings } = await putPolicy(gate, getCaller(request), {
        projectId: request.params.id,
        document: request.body,
        ...(ifMatch === undefined ? {} : { ifMatch }),
      });
      tag(reply, policy);
      return { ...toWirePolicy(policy), warnings: warnings.map(({ path, message }) => ({ path, message })) };
    },
  );

  app.get(
    '/projects/:id/policies/versions',
    {
      schema: {
        operationId: 'listPolicyVersions',
        summary: 'List every version, newest first',
        tags: TAGS,
        params: ItemPath,
        querystring: StrictObject(PAGE_QUERY),
        response: { 200: Page(PolicySchema) },
      },
    },
    async (request) => {
      const input = { projectId: request.params.id, ...toPageRequest(request.query) };
      return toWirePage(await listPolicyVersions(gate, getCaller(request), input), toWirePolicy);
    },
  );
}

function tag(reply: FastifyReply, policy: PolicyVersion): void {
  reply.header('etag', `"${policy.hash}"`);
}

export function toHash(ifMatch: string | undefined): string | undefined {
  if (ifMatch === undefined || ifMatch.trim() === '*') return undefined;
  return ifMatch.trim().replace(/^"|"$/g, '');
}

function toWirePolicy(policy: PolicyVersion): Static<typeof PolicySchema> {
  return {
    id: policy.hash,
    version: policy.version,
    hash: policy.hash,
    policy: policy.document,
    created_at: policy.createdAt,
    created_by: policy.createdBy,
  };
}

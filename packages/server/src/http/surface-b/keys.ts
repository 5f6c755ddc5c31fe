import type { JsonObject } from '@permitry/protocol';
import { CreatedKey, CreateKey, EmptyBody, KeySchema, Page, StrictObject } from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import { endOfKey } from '../../gate/access/credential.ts';
import { onlyGiven } from '../../gate/kernel/only-given.ts';
import { createKey } from '../../people/keys/create-key.ts';
import { listKeys } from '../../people/keys/list-keys.ts';
import type { KeyRecord } from '../../people/keys/mint-key.ts';
import { revokeKey } from '../../people/keys/revoke-key.ts';
import { getCaller } from '../admission/request-context.ts';
import { PAGE_QUERY, toPageRequest, toWirePage } from '../routes/paging.ts';
import { ItemPath, PathId } from '../routes/route-schemas.ts';
import type { GateApp, RouteTools } from '../routes/surface.ts';

const KeyPath = StrictObject({ id: PathId, key_id: PathId });
const TAGS = ['Surface B: keys'];

export function keyRoutes(app: GateApp, { gate, once }: RouteTools): void {
  app.post(
    '/projects/:id/keys',
    {
      schema: {
        operationId: 'createKey',
        summary: 'Create a key, which is shown once',
        description:
          'In live mode this needs a person who is present in a browser. A repetition with the same `Idempotency-Key` does not show the key again.',
        tags: TAGS,
        params: ItemPath,
        body: CreateKey,
        response: { 201: CreatedKey },
      },
    },
    (request, reply) =>
      once.answer(request, reply, {
        act: (caller, remember) => {
          const { kind, name, agent_id: agentId, expires_at: expiresAt } = request.body;
          const { rate_limit_per_minute: limit } = request.body;
          const made = {
            projectId: request.params.id,
            kind,
            name,
            ...onlyGiven({ agentId, expiresAt, rateLimitPerMinute: limit }),
          };
          return createKey(gate, caller, made, remember);
        },
        toAnswer: ({ record, key }) => ({ status: 201, body: { ...toWireKey(record), key } }),
        strip: ({ key: _shownOnce, ...kept }: JsonObject) => kept,
      }),
  );

  app.get(
    '/projects/:id/keys',
    {
      schema: {
        operationId: 'listKeys',
        summary: 'List keys, newest first, without the keys themselves',
        tags: TAGS,
        params: ItemPath,
        querystring: StrictObject(PAGE_QUERY),
        response: { 200: Page(KeySchema) },
      },
    },
    async (request) => {
      const input = { projectId: request.params.id, ...toPageRequest(request.query) };
      return toWirePage(await listKeys(gate, getCaller(request), input), toWireKey);
    },
  );

  app.post(
    '/projects/:id/keys/:key_id/revoke',
    {
      schema: {
        operationId: 'revokeKey',
        summary: 'Revoke a key from the next request on',
        tags: TAGS,
        params: KeyPath,
        body: EmptyBody,
        response: { 200: KeySchema },
      },
    },
    async (request) => {
      const { id: projectId, key_id: keyId } = request.params;
      return toWireKey(await revokeKey(gate, getCaller(request), { projectId, keyId }));
    },
  );
}

function toWireKey(record: KeyRecord): Static<typeof KeySchema> {
  if (record.kind === 'user') throw new Error('an access token belongs to no project');
  return {
    id: record.id,
    kind: record.kind,
    name: record.name,
    hint: record.hint,
    agent_id: record.agentId,
    owner_id: record.ownerId,
    rate_limit_per_minute: record.rateLimitPerMinute,
    created_at: record.createdAt,
    expires_at: endOfKey(record),
    revoked_at: record.revokedAt,
    last_used_at: record.lastUsedAt,
  };
}

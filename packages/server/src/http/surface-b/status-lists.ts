import { NoBody, StatusListToken, StrictObject } from '@permitry/protocol/schemas';
import Type from 'typebox';
import { GateError } from '../../gate/kernel/errors.ts';
import { notFound } from '../../gate/kernel/not-found.ts';
import { accepts } from '../answers/accepts.ts';
import type { GateApp, RouteTools } from '../routes/surface.ts';

const STATUS_LIST_TYPE = 'application/statuslist+jwt';
/** Possible numbers of a list. After a restore, numbers continue from the seconds since the epoch. */
const LIST_NUMBER = /^(0|[1-9]\d{0,9})$/;

/** Public: a list names no receipt, no project and no person. */
export function statusListRoutes(app: GateApp, { gate }: RouteTools): void {
  app.get(
    '/status/:list',
    {
      schema: {
        operationId: 'readStatusList',
        summary: 'Read a status list of receipts',
        description:
          'A Token Status List (draft-ietf-oauth-status-list), to which the `jws` of receipts refers. It has two bits for each of 131,072 receipts: 0 valid, 1 revoked, 2 suspended. Reading it needs no key. Its `ttl` says how long it may be cached, its `exp` until when it may be trusted. There is no history: with `time` the answer is 404.',
        tags: ['Surface B: permits'],
        security: [],
        params: StrictObject({ list: Type.String({ maxLength: 64 }) }),
        querystring: StrictObject({
          time: Type.Optional(Type.String({ maxLength: 64, description: 'Not supported: 404.' })),
        }),
        response: {
          200: {
            description: 'The list, signed',
            content: { [STATUS_LIST_TYPE]: { schema: StatusListToken } },
          },
          304: NoBody,
        },
      },
    },
    async (request, reply) => {
      const { list } = request.params;
      reply.header('vary', 'accept');
      if (!accepts(request.headers.accept, STATUS_LIST_TYPE)) {
        throw new GateError('not_acceptable', `Status lists are served as ${STATUS_LIST_TYPE} only.`, {});
      }
      const known = LIST_NUMBER.test(list) && request.query.time === undefined;
      const found = known ? await gate.statusLists.find(Number(list)) : undefined;
      if (!found) throw notFound('status list');
      reply.header('etag', `"${found.tag}"`);
      reply.header('cache-control', `public, max-age=${found.maxAgeSeconds}`);
      if (isKept(request.headers['if-none-match'], found.tag)) return reply.code(304).send(undefined);
      return reply.type(STATUS_LIST_TYPE).send(found.jws);
    },
  );
}

/** Whether the client has the current version (RFC 9110 §13.1.2). */
function isKept(header: string | undefined, tag: string): boolean {
  if (header === undefined) return false;
  return header.split(',').some((given) => /^\s*(?:\*|(?:W\/)?"([^"]*)")\s*$/.exec(given)?.[1] === tag);
}

import { CreateIntentA, DecideA, IntentA, IntentListA, StrictObject } from '@permitry/protocol/schemas';
import Type, { type Static } from 'typebox';
import { decideIntent } from '../../gate/intents/decide.ts';
import type { IntentRequest } from '../../gate/intents/draft-intent.ts';
import { listIntents } from '../../gate/intents/list.ts';
import { submitIntent } from '../../gate/intents/submit.ts';
import { onlyGiven } from '../../gate/kernel/only-given.ts';
import { getCaller } from '../admission/request-context.ts';
import { keepPermitById, type TokenLocation } from '../once/repeatable.ts';
import { PAGE_QUERY, toPageRequest } from '../routes/paging.ts';
import { IntentPath, readOrWait, WaitQuery } from '../routes/read-intent-route.ts';
import type { GateApp, RouteTools } from '../routes/surface.ts';
import { toIntentRequest } from '../wire/to-intent-request.ts';
import { toSurfaceAIntent, toSurfaceAIntentSummary } from './to-surface-a-intent.ts';

const TOKEN: TokenLocation = {
  read: ({ permit_token: token }) => (typeof token === 'string' ? token : undefined),
  write: (body, text) => ({ ...body, permit_token: text }),
};

export function intentRoutes(app: GateApp, { gate, once }: RouteTools): void {
  const kept = keepPermitById(gate, TOKEN);
  app.post(
    '/intents',
    {
      schema: {
        operationId: 'createIntentA',
        summary: 'Create an approval request for a protected action',
        description:
          'The policy may approve or deny it at once: see `decision` and `status`. Send an `Idempotency-Key` to be able to repeat the call safely.',
        tags: ['Surface A: intents'],
        body: CreateIntentA,
        response: { 201: IntentA },
      },
    },
    (request, reply) =>
      once.answer(request, reply, {
        ...kept,
        act: (caller, remember) => submitIntent(gate, caller, fromSurfaceA(request.body), remember),
        toAnswer: (view) => ({ status: 201, body: { ...toSurfaceAIntent(view) } }),
      }),
  );

  app.get(
    '/intents',
    {
      schema: {
        operationId: 'listIntentsA',
        summary: 'List the intents that this credential may see',
        description: 'Newest first. `resolved` means no longer pending. Lists never contain permit tokens.',
        tags: ['Surface A: intents'],
        querystring: StrictObject({
          status: Type.Optional(Type.Enum(['pending', 'approved', 'denied', 'expired', 'resolved'])),
          ...PAGE_QUERY,
        }),
        response: { 200: IntentListA },
      },
    },
    async (request) => {
      const { status, ...page } = request.query;
      const found = await listIntents(gate, getCaller(request), {
        ...toPageRequest(page),
        ...onlyGiven({ status }),
      });
      return { intents: found.items.map(toSurfaceAIntentSummary), next_cursor: found.nextCursor };
    },
  );

  app.get(
    '/intents/:id',
    {
      schema: {
        operationId: 'readIntentA',
        summary: 'Read one request',
        description:
          'With `wait`, the answer is held until the intent is resolved, for at most that many seconds. After approval it contains `permit_token` and `receipt_v2`.',
        tags: ['Surface A: intents'],
        params: IntentPath,
        querystring: WaitQuery,
        response: { 200: IntentA },
      },
    },
    async (request, reply) => toSurfaceAIntent(await readOrWait(gate, request, reply)),
  );

  app.patch(
    '/intents/:id',
    {
      schema: {
        operationId: 'decideIntentA',
        summary: 'Approve or deny a pending request',
        description:
          'The approver is the person behind the credential. An approval by a session must name `intent_hash`. One denial denies the request.',
        tags: ['Surface A: intents'],
        params: IntentPath,
        body: DecideA,
        response: { 200: IntentA },
      },
    },
    async (request) => {
      const { decision, reason, proof_session_id: proofSessionId, intent_hash: intentHash } = request.body;
      const view = await decideIntent(gate, getCaller(request), {
        intentId: request.params.id,
        decision,
        ...onlyGiven({ reason, proofSessionId, intentHash }),
      });
      return toSurfaceAIntent(view);
    },
  );
}

/** Converts surface A's names for a request to the gate's. */
function fromSurfaceA(body: Static<typeof CreateIntentA>): IntentRequest {
  return { ...toIntentRequest(body.action, body.context, body), sourceType: body.source_type };
}

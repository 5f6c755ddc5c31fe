import type { JsonObject } from '@permitry/protocol';
import {
  ApproveB,
  AskAgainB,
  CreateIntentB,
  DenyB,
  EmptyBody,
  IntentB,
  OutcomeB,
  ReportOutcomeB,
} from '@permitry/protocol/schemas';
import type { Static } from 'typebox';
import { decideIntent } from '../../gate/intents/decide.ts';
import { policyViolation } from '../../gate/intents/decision-refusals.ts';
import type { IntentRequest } from '../../gate/intents/draft-intent.ts';
import type { IntentView } from '../../gate/intents/intent-view.ts';
import { reportOutcome } from '../../gate/intents/report-outcome.ts';
import { submitIntent } from '../../gate/intents/submit.ts';
import { withdrawIntent } from '../../gate/intents/withdraw.ts';
import { onlyGiven } from '../../gate/kernel/only-given.ts';
import { redeemPermit } from '../../gate/permits/redeem.ts';
import { askAgain } from '../../gate/tools/ask-again.ts';
import { getCaller } from '../admission/request-context.ts';
import type { Answer } from '../once/answer-once.ts';
import { keepPermitById, type TokenLocation } from '../once/repeatable.ts';
import { IntentPath, readOrWait, WaitQuery } from '../routes/read-intent-route.ts';
import type { GateApp, RouteTools } from '../routes/surface.ts';
import { toIntentRequest } from '../wire/to-intent-request.ts';
import { type SurfaceBIntent, toSurfaceBIntent } from './to-surface-b-intent.ts';

const TAGS = ['Surface B: intents'];

const TOKEN: TokenLocation = {
  read: ({ permit }) => {
    const token = (permit as JsonObject | undefined)?.token;
    return typeof token === 'string' ? token : undefined;
  },
  write: (body, text) => ({ ...body, permit: { ...(body.permit as JsonObject), token: text } }),
};

export function intentRoutes(app: GateApp, tools: RouteTools): void {
  createRoute(app, tools);
  readRoute(app, tools);
  decisionRoutes(app, tools);
  requesterRoutes(app, tools);
}

function createRoute(app: GateApp, { gate, once }: RouteTools): void {
  const kept = keepPermitById(gate, TOKEN);
  app.post(
    '/intents',
    {
      schema: {
        operationId: 'createIntent',
        summary: 'Create an intent',
        description:
          'If policy allows the intent, the answer has the permit. If policy denies it, the answer is `policy_violation`, and the intent is recorded as denied. Send an `Idempotency-Key` to make the request safe to retry.',
        tags: TAGS,
        body: CreateIntentB,
        response: { 201: IntentB },
      },
    },
    (request, reply) =>
      once.answer(request, reply, {
        ...kept,
        act: (caller, remember) => submitIntent(gate, caller, fromSurfaceB(request.body), remember),
        toAnswer: toCreated,
      }),
  );
}

function readRoute(app: GateApp, { gate }: RouteTools): void {
  app.get(
    '/intents/:id',
    {
      schema: {
        operationId: 'readIntent',
        summary: 'Read the status of an intent',
        description:
          'With `wait`, the answer is held until the intent is resolved, but at most that many seconds. After approval it has `permit`.',
        tags: TAGS,
        params: IntentPath,
        querystring: WaitQuery,
        response: { 200: IntentB },
      },
    },
    async (request, reply) => toSurfaceBIntent(await readOrWait(gate, request, reply)),
  );
}

function decisionRoutes(app: GateApp, { gate }: RouteTools): void {
  app.post(
    '/intents/:id/approve',
    {
      schema: {
        operationId: 'approveIntent',
        summary: 'Approve a pending intent and issue a signed permit',
        description:
          'The approver is the person behind the credential. An approval with a session, or with an access token and a device proof, must name `intent_hash`. While more approvals are needed the intent stays pending: see `approvals_required` and `approvals_received`.',
        tags: TAGS,
        params: IntentPath,
        body: ApproveB,
        response: { 200: IntentB },
      },
    },
    async (request) => {
      const { comment, proof_session_id: proofSessionId, intent_hash: intentHash } = request.body;
      const view = await decideIntent(gate, getCaller(request), {
        intentId: request.params.id,
        decision: 'approve',
        ...onlyGiven({ reason: comment, proofSessionId, intentHash }),
      });
      return toSurfaceBIntent(view);
    },
  );

  app.post(
    '/intents/:id/deny',
    {
      schema: {
        operationId: 'denyIntent',
        summary: 'Deny a pending intent, with an optional reason',
        description: 'One denial denies the intent, however many approvals it has.',
        tags: TAGS,
        params: IntentPath,
        body: DenyB,
        response: { 200: IntentB },
      },
    },
    async (request) => {
      const { reason, intent_hash: intentHash } = request.body;
      const view = await decideIntent(gate, getCaller(request), {
        intentId: request.params.id,
        decision: 'deny',
        ...onlyGiven({ reason, intentHash }),
      });
      return toSurfaceBIntent(view);
    },
  );
}

function requesterRoutes(app: GateApp, { gate, once }: RouteTools): void {
  const kept = keepPermitById(gate, TOKEN);
  app.post(
    '/intents/:id/withdraw',
    {
      schema: {
        operationId: 'withdrawIntent',
        summary: 'Withdraw a pending intent',
        description: 'Only the requester can do this. The intent is then denied with the reason `withdrawn`.',
        tags: TAGS,
        params: IntentPath,
        body: EmptyBody,
        response: { 200: IntentB },
      },
    },
    async (request) => toSurfaceBIntent(await withdrawIntent(gate, getCaller(request), request.params.id)),
  );

  app.post(
    '/intents/:id/ask-again',
    {
      schema: {
        operationId: 'askAgain',
        summary: 'Resubmit an intent',
        description:
          'The requester can do this, or the person who answers for it when signed in to the dashboard. It creates a new intent with the same action, params and metadata, linked by `asked_again_from`, and policy and people decide it again. It works for an intent that expired, or that was approved and either failed (outcome `failed`) or was not used in time. It also works for a pending intent for which an approver asked for more time (`extension_requested`); that intent is withdrawn. An intent can be resubmitted once; after that, resubmit the new one. For a tool call, present the permit of the new intent at `POST /api/mcp-gateway`, or repeat the call over MCP.',
        tags: TAGS,
        params: IntentPath,
        body: AskAgainB,
        response: { 201: IntentB },
      },
    },
    (request, reply) =>
      once.answer(request, reply, {
        ...kept,
        act: (caller, remember) => {
          const { expires_in: expiresInSeconds } = request.body;
          const again = {
            intentId: request.params.id,
            ...onlyGiven({ expiresInSeconds }),
          };
          return askAgain(gate, caller, again, remember);
        },
        toAnswer: toCreated,
      }),
  );

  app.post(
    '/intents/:id/permit',
    {
      schema: {
        operationId: 'redeemPermit',
        summary: 'Get a fresh permit for an approved intent',
        description:
          'Only the requester can do this, before the intent expires and before any permit of it is consumed. Use is counted per intent, whichever permit is presented.',
        tags: TAGS,
        params: IntentPath,
        body: EmptyBody,
        response: { 201: IntentB },
      },
    },
    (request, reply) =>
      once.answer(request, reply, {
        ...kept,
        act: (caller, remember) => redeemPermit(gate, caller, request.params.id, remember),
        toAnswer: (view) => ({ status: 201, body: { ...toSurfaceBIntent(view) } }),
      }),
  );

  app.post(
    '/intents/:id/outcome',
    {
      schema: {
        operationId: 'reportOutcome',
        summary: 'Report the outcome of the action',
        description: 'Only the credential that consumed the permit can do this, once.',
        tags: TAGS,
        params: IntentPath,
        body: ReportOutcomeB,
        response: { 201: OutcomeB },
      },
    },
    (request, reply) =>
      once.answer(request, reply, {
        act: (caller, remember) => {
          const { outcome, detail } = request.body;
          const report = {
            intentId: request.params.id,
            outcome,
            ...onlyGiven({ detail }),
          };
          return reportOutcome(gate, caller, report, remember);
        },
        toAnswer: ({ id, outcomeAt }) => ({
          status: 201,
          body: { id, intent_id: id, outcome: request.body.outcome, reported_at: outcomeAt },
        }),
      }),
  );
}

/** Translates surface B's request into the gate's. */
function fromSurfaceB(body: Static<typeof CreateIntentB>): IntentRequest {
  return {
    ...toIntentRequest(body.action, body.params, body),
    ...onlyGiven({ metadata: body.metadata, sourceType: body.source_type }),
  };
}

/** A denial by policy is answered as an error, and the intent is stored as denied. */
function toCreated(view: IntentView): Answer<SurfaceBIntent> {
  const { intent } = view;
  if (intent.status === 'denied') throw policyViolation(intent.id, intent.rule, intent.reason);
  return { status: 201, body: toSurfaceBIntent(view) };
}

import type { JsonObject } from '@permitry/protocol';
import {
  GatewayCallA,
  GatewaySettledA,
  GatewayToolsA,
  GatewayUnsettledA,
  StrictObject,
} from '@permitry/protocol/schemas';
import Type, { type Static } from 'typebox';
import { GateError } from '../../gate/kernel/errors.ts';
import { invalidFields } from '../../gate/kernel/invalid-fields.ts';
import { onlyGiven } from '../../gate/kernel/only-given.ts';
import { callTool, type GatewayCall } from '../../gate/tools/call-tool.ts';
import type { GatewayAnswer } from '../../gate/tools/gateway-answer.ts';
import { listTools } from '../../gate/tools/list-tools.ts';
import { resumeRequest } from '../../gate/tools/resume-request.ts';
import { getCaller } from '../admission/request-context.ts';
import { hungUpSignal } from '../answers/hung-up.ts';
import { readIdempotencyKey } from '../once/idempotency-key.ts';
import type { GateApp, RouteTools } from '../routes/surface.ts';
import { toWireTool } from '../wire/to-wire-tool.ts';

const TAGS = ['Surface A: gateway'];

const WaitQuery = StrictObject({
  wait: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 60,
      description: 'Seconds to wait for people to decide. Answers are held for at most 50.',
    }),
  ),
});

export function gatewayRoutes(app: GateApp, { gate }: RouteTools): void {
  app.get(
    '/mcp-gateway',
    {
      schema: {
        operationId: 'listToolsA',
        summary: 'List protected tools',
        tags: TAGS,
        response: { 200: GatewayToolsA },
      },
    },
    async (request) => ({ tools: (await listTools(gate, getCaller(request))).map(toWireTool) }),
  );

  app.post(
    '/mcp-gateway',
    {
      schema: {
        operationId: 'callToolA',
        summary: 'Call a protected tool, or return to a call',
        description:
          '`tool` and `arguments` create an intent whose action is the tool’s name. If the policy allows it, the tool runs, and 200 returns the result. If it needs approval, the answer is 202 `pending`; return with only `connector_request_id` and the same credential, and the tool runs once the intent is approved. With `permit_token` as well, it runs on that permit, which must be for exactly these arguments. A tool runs once, however often a caller returns. A call that takes longer than 50 seconds answers 202 `executing`. A call repeated under its `Idempotency-Key` is the same call and returns its result.',
        tags: TAGS,
        querystring: WaitQuery,
        body: GatewayCallA,
        response: { 200: GatewaySettledA, 202: GatewayUnsettledA },
      },
    },
    async (request, reply) => {
      const caller = getCaller(request);
      const patience = { waitMs: (request.query.wait ?? 0) * 1000, hungUp: hungUpSignal(reply) };
      const { body } = request;
      const answer =
        body.connector_request_id === undefined
          ? await callTool(gate, caller, { ...toCall(body, readIdempotencyKey(request)), ...patience })
          : await resumeRequest(gate, caller, { requestId: toRequestId(body), ...patience });
      if (answer.replayed) reply.header('idempotency-replayed', 'true');
      if (answer.kind === 'pending' || answer.kind === 'executing') {
        return reply.code(202).send(toWireUnsettled(answer));
      }
      return reply.code(200).send(toWireSettled(answer));
    },
  );
}

type Body = Static<typeof GatewayCallA>;

/** A return to a call names its request and nothing else. */
function toRequestId(body: Body): string {
  const { connector_request_id: requestId = '', ...others } = body;
  const beside = Object.keys(others).map((name) => ({
    path: `/${name}`,
    message: 'cannot be combined with connector_request_id',
  }));
  if (beside.length > 0) throw invalidFields(...beside);
  return requestId;
}

function toCall(body: Body, idempotencyKey: string | undefined): GatewayCall {
  const { tool, source, source_type: sourceType, risk_tier: riskTier, proof_tier: proofTier } = body;
  if (tool === undefined) {
    throw new GateError('missing_fields', 'Name the tool to call, or the call to return to.', {
      fields: [{ path: '/tool', message: 'is required (or connector_request_id)' }],
    });
  }
  return {
    tool,
    arguments: (body.arguments ?? {}) as JsonObject,
    ...onlyGiven({ source, sourceType, riskTier, proofTier, permitToken: body.permit_token, idempotencyKey }),
  };
}

function toWireSettled(
  answer: Extract<GatewayAnswer, { kind: 'executed' | 'failed' | 'unknown' }>,
): Static<typeof GatewaySettledA> {
  return {
    status: answer.kind,
    connector_request_id: answer.request.id,
    intent_id: answer.request.intentId,
    result: answer.kind === 'unknown' ? null : answer.result,
    message: answer.message,
    receipt_v2: answer.intent.receipt,
  };
}

function toWireUnsettled(
  answer: Extract<GatewayAnswer, { kind: 'pending' | 'executing' }>,
): Static<typeof GatewayUnsettledA> {
  return {
    status: answer.kind,
    connector_request_id: answer.request.id,
    intent_id: answer.request.intentId,
    approval_url: answer.intent.approvalUrl,
    expires_at: answer.intent.intent.expiresAt,
  };
}

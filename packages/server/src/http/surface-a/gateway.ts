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
      description: 'Seconds to wait for people to decide. No answer is held longer than 50.',
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
        summary: 'Call a protected tool, or come back to a call',
        description:
          'With `tool` and `arguments` an intent is made, whose action is the tool’s name. Policy allows: the tool is run, and 200 says what came of it. Policy asks people: 202 `pending`; come back with `connector_request_id` alone, by the same credential, and it is run once it is approved. With `permit_token` beside, it is run on that permit, which must be for exactly these arguments. A tool is run once, whoever comes back how often; a call that takes longer than 50 seconds answers 202 `executing`. Repeated under its `Idempotency-Key`, a call is the same call: the answer is what became of it.',
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

/** A way back names its request and nothing else. */
function toRequestId(body: Body): string {
  const { connector_request_id: requestId = '', ...others } = body;
  const beside = Object.keys(others).map((name) => ({
    path: `/${name}`,
    message: 'cannot stand beside connector_request_id',
  }));
  if (beside.length > 0) throw invalidFields(...beside);
  return requestId;
}

function toCall(body: Body, idempotencyKey: string | undefined): GatewayCall {
  const { tool, source, source_type: sourceType, risk_tier: riskTier, proof_tier: proofTier } = body;
  if (tool === undefined) {
    throw new GateError('missing_fields', 'Name the tool to call, or the call to come back to.', {
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

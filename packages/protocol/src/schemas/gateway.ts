/** Bodies and answers of the gateway to protected tools (`/api/mcp-gateway`), and records of its mocks. */
import Type from 'typebox';
import type { JsonObject } from '../json.ts';
import { FreeObject, Id, Nullable, StrictObject, Timestamp } from './forms.ts';
import { PresentedId, PresentedToken } from './presented.ts';
import { ReceiptSchema } from './receipt.ts';
import { ProofTierSchema, RiskTierSchema, Source, SourceTypeSchema } from './request.ts';

const ConnectorRequestId = Id('crq', 'Connector request: one call of a tool.');
const ToolName = Type.String({
  description: 'Also the action of its intents.',
  examples: ['payments.refund'],
});

export const GatewayToolA = StrictObject(
  {
    name: ToolName,
    title: Type.String(),
    description: Type.String(),
    connector: Type.String({ description: 'What it belongs to.' }),
    risk_tier: RiskTierSchema,
    input_schema: Type.Unsafe<JsonObject>({
      ...FreeObject,
      description: 'JSON Schema 2020-12 of its arguments.',
    }),
    output_schema: Nullable(FreeObject),
    annotations: Type.Unsafe<JsonObject>({ ...FreeObject, description: 'As in MCP.' }),
  },
  { title: 'Protected tool' },
);

export const GatewayToolsA = StrictObject({ tools: Type.Array(GatewayToolA) });

/** Either a call, with or without its permit, or a return to an earlier call. */
export const GatewayCallA = StrictObject(
  {
    tool: Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: 'Name of the tool.' })),
    arguments: Type.Optional(FreeObject),
    source: Type.Optional(Source),
    source_type: Type.Optional(SourceTypeSchema),
    risk_tier: Type.Optional(RiskTierSchema),
    proof_tier: Type.Optional(ProofTierSchema),
    permit_token: Type.Optional(PresentedToken),
    connector_request_id: Type.Optional(PresentedId),
  },
  {
    title: 'Call of a protected tool',
    examples: [
      { tool: 'payments.refund', arguments: { charge: 'ch_4711', amount: 120.5, currency: 'EUR' } },
      { connector_request_id: 'crq_01kaftx2q8n5m9y0a3v7c1d4ez' },
    ],
  },
);

const OF_REQUEST = { connector_request_id: ConnectorRequestId, intent_id: Id('int', 'Its intent.') };
const Message = Nullable(
  Type.String({ description: 'A message to show beside a result, or instead of one.' }),
);

export const GatewaySettledA = StrictObject(
  {
    status: Type.Enum(['executed', 'failed', 'unknown'], {
      description:
        'executed: the tool did it. failed: the tool reported a failure. unknown: the outcome is unknown, and the gate never runs the call again by itself.',
    }),
    ...OF_REQUEST,
    result: Nullable(
      Type.Unsafe<JsonObject>({
        ...FreeObject,
        description:
          'The tool’s own result. Null when it returned none, or the result was erased or larger than 1 MiB.',
      }),
    ),
    message: Message,
    receipt_v2: Nullable(ReceiptSchema),
  },
  { title: 'Call that was run' },
);

export const GatewayUnsettledA = StrictObject(
  {
    status: Type.Enum(['pending', 'executing'], {
      description:
        'pending: the call needs approval. executing: it is running. Return with connector_request_id.',
    }),
    ...OF_REQUEST,
    approval_url: Type.String({ description: 'Where a person reviews and decides it.' }),
    expires_at: Timestamp,
  },
  {
    title: 'Call that is not done',
    examples: [
      {
        status: 'pending',
        connector_request_id: 'crq_01m7x2ag48d6qmdasgn0m10cjf',
        intent_id: 'int_01m7x2ag48d6qmdashwd477k1x',
        approval_url: 'http://localhost:8787/approve/int_01m7x2ag48d6qmdashwd477k1x',
        expires_at: '2026-11-20T19:08:27.784Z',
      },
    ],
  },
);

export const MockRecordB = StrictObject(
  {
    intent_id: Id('int', 'The intent that the call was made for.'),
    tool: ToolName,
    arguments: FreeObject,
    at: Timestamp,
  },
  {
    title: 'What a mock connector did',
    examples: [
      {
        intent_id: 'int_01m7x2ag48d6qmdashwd477k1x',
        tool: 'payments.refund',
        arguments: { charge: 'ch_4711', amount: 120.5, currency: 'EUR' },
        at: '2026-11-20T18:08:30.683Z',
      },
    ],
  },
);

export const MockRecordListB = StrictObject({
  data: Type.Array(MockRecordB),
  next_cursor: Nullable(Type.String()),
});

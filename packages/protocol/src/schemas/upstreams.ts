/** Bodies and answers of upstream MCP servers, and of the tools that a project protects. */
import Type from 'typebox';
import type { JsonObject } from '../json.ts';
import { FreeObject, Hash, Id, Nullable, StrictObject, Timestamp, WITHOUT_NUL } from './forms.ts';
import { GatewayToolA } from './gateway.ts';
import { RiskTierSchema } from './request.ts';

const UpstreamName = Type.String({
  pattern: '^[a-z][a-z0-9-]{0,31}$',
  description: 'Its tools are called <name>.<tool>.',
  examples: ['github'],
});
const UrlText = Type.String({
  minLength: 1,
  maxLength: 2048,
  description:
    'Where it speaks MCP over Streamable HTTP; https only. Never shown again: a part of it may be a secret.',
  examples: ['https://tools.example/mcp'],
});
const HeaderValue = Type.String({ minLength: 1, maxLength: 4096 });
const HeaderName = '^.{1,64}$';
const TimeoutSeconds = Type.Integer({
  minimum: 10,
  maximum: 600,
  description: 'How long one call may take; after that nobody knows what became of it.',
});
const ToolRisk = Type.Unsafe<NonNullable<(typeof RiskTierSchema)['enum']>[number]>({
  ...RiskTierSchema,
  description:
    'Of its tools where nobody said otherwise; a hint that a tool destroys makes it high at least.',
});
const ToolName = Type.String({
  minLength: 1,
  maxLength: 700,
  pattern: WITHOUT_NUL,
  description: 'As the server calls it.',
});
const SeenHash = Type.String({
  maxLength: 128,
  description: 'Of the definition that was looked at: found.hash.',
});

export const CreateUpstream = StrictObject(
  {
    name: UpstreamName,
    url: UrlText,
    headers: Type.Optional(
      Type.Unsafe<Record<string, string>>({
        ...Type.Record(Type.String({ pattern: HeaderName }), HeaderValue, { maxProperties: 30 }),
        description: 'Sent with every request to it, and never shown again.',
        examples: [{ authorization: 'Bearer …' }],
      }),
    ),
    risk_tier: Type.Optional(ToolRisk),
    timeout_seconds: Type.Optional(TimeoutSeconds),
  },
  { title: 'New upstream server' },
);

export const UpdateUpstream = StrictObject(
  {
    url: Type.Optional(UrlText),
    headers: Type.Optional(
      Type.Unsafe<Record<string, string | null>>({
        ...Type.Record(Type.String({ pattern: HeaderName }), Nullable(HeaderValue), { maxProperties: 30 }),
        description: 'By name; null takes one away, others stay. At another origin those of before are gone.',
      }),
    ),
    risk_tier: Type.Optional(ToolRisk),
    timeout_seconds: Type.Optional(TimeoutSeconds),
  },
  { title: 'Change of an upstream server' },
);

export const ApproveTools = StrictObject({
  tools: Type.Array(
    StrictObject({
      name: ToolName,
      hash: SeenHash,
      risk_tier: Type.Optional(
        Nullable(
          Type.Unsafe<NonNullable<(typeof RiskTierSchema)['enum']>[number]>({
            ...RiskTierSchema,
            description: 'Null: as the server’s tools have it. Left out: as it was.',
          }),
        ),
      ),
    }),
    { minItems: 1, maxItems: 200 },
  ),
});

export const WithdrawTools = StrictObject({ tools: Type.Array(ToolName, { minItems: 1, maxItems: 200 }) });

export const UpstreamSchema = StrictObject(
  {
    id: Id('ups', 'Upstream server.'),
    name: UpstreamName,
    kind: Type.Enum(['http', 'stdio'], {
      description: 'stdio: a command on the gate’s machine, which its operator registered.',
    }),
    target: Type.String({ description: 'Host of its address, or name of its command.' }),
    secret_names: Type.Array(Type.String(), { description: 'Headers or variables that are sent to it.' }),
    risk_tier: RiskTierSchema,
    timeout_seconds: Type.Integer(),
    server: Nullable(
      StrictObject(
        { name: Type.String(), version: Type.String(), protocol: Type.String() },
        { description: 'What it says of itself. Null: nobody could talk to it yet.' },
      ),
    ),
    looked_at: Nullable(Timestamp),
    failing_since: Nullable(Timestamp),
    error: Nullable(Type.String({ description: 'Why it cannot be talked to.' })),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Upstream server' },
);

const Definition = StrictObject({
  hash: Hash,
  content: Type.Unsafe<JsonObject>({
    ...FreeObject,
    description: 'As the server wrote it. Believe nothing in it.',
  }),
});

export const UpstreamToolSchema = StrictObject(
  {
    name: ToolName,
    action: Nullable(
      Type.String({ description: 'What it is called here; null for one that cannot be called.' }),
    ),
    state: Type.Enum(['new', 'approved', 'changed', 'gone'], {
      description:
        'Only approved ones are offered. changed: it is another than was approved. gone: it was approved, and is not there.',
    }),
    obstacle: Nullable(Type.String({ description: 'Why it cannot be approved as it is.' })),
    risk_tier: RiskTierSchema,
    risk_tier_set: Nullable(RiskTierSchema),
    found: Nullable(Definition),
    pinned: Nullable(Definition),
    found_at: Timestamp,
    changed_at: Timestamp,
    approved_at: Nullable(Timestamp),
  },
  { title: 'Tool of an upstream server' },
);

export const UpstreamToolList = StrictObject({ data: Type.Array(UpstreamToolSchema) });

/** As agents are offered them. */
export const ProtectedToolList = StrictObject({ data: Type.Array(GatewayToolA) });

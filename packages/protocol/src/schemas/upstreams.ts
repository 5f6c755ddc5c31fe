/** Bodies and answers for upstream MCP servers, and for the tools that a project protects. */
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
    'Its MCP endpoint over Streamable HTTP; https only. Never shown again, because a part of it may be a secret.',
  examples: ['https://tools.example/mcp'],
});
const HeaderValue = Type.String({ minLength: 1, maxLength: 4096 });
const HeaderName = '^.{1,64}$';
const TimeoutSeconds = Type.Integer({
  minimum: 10,
  maximum: 600,
  description: 'How long one call may take. After that its outcome is unknown.',
});
const ToolRisk = Type.Unsafe<NonNullable<(typeof RiskTierSchema)['enum']>[number]>({
  ...RiskTierSchema,
  description: 'Default risk of its tools. Tools marked as destructive are at least high.',
});
const ToolName = Type.String({
  minLength: 1,
  maxLength: 700,
  pattern: WITHOUT_NUL,
  description: 'The server’s own name for it.',
});
const SeenHash = Type.String({
  maxLength: 128,
  description: 'Hash of the definition that was reviewed: found.hash.',
});

export const CreateUpstream = StrictObject(
  {
    name: UpstreamName,
    url: UrlText,
    headers: Type.Optional(
      Type.Unsafe<Record<string, string>>({
        ...Type.Record(Type.String({ pattern: HeaderName }), HeaderValue, { maxProperties: 30 }),
        description: 'Sent with every request to the server, and never shown again.',
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
        description:
          'By name. Null removes one, and the others stay. When the origin changes, all earlier ones are removed.',
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
            description: 'Null: the server’s default. Omitted: unchanged.',
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
      description: 'stdio: a command on the gate’s machine, registered by its operator.',
    }),
    target: Type.String({ description: 'Host of its address, or name of its command.' }),
    secret_names: Type.Array(Type.String(), {
      description: 'Headers or variables that the gate sends to it.',
    }),
    risk_tier: RiskTierSchema,
    timeout_seconds: Type.Integer(),
    server: Nullable(
      StrictObject(
        { name: Type.String(), version: Type.String(), protocol: Type.String() },
        { description: 'What the server says about itself. Null: the gate has not reached it yet.' },
      ),
    ),
    looked_at: Nullable(Timestamp),
    failing_since: Nullable(Timestamp),
    error: Nullable(Type.String({ description: 'Why the gate cannot reach it.' })),
    created_at: Timestamp,
    updated_at: Timestamp,
  },
  { title: 'Upstream server' },
);

const Definition = StrictObject({
  hash: Hash,
  content: Type.Unsafe<JsonObject>({
    ...FreeObject,
    description: 'The server’s own text. Do not trust it.',
  }),
});

export const UpstreamToolSchema = StrictObject(
  {
    name: ToolName,
    action: Nullable(Type.String({ description: 'Its name here. Null for a tool that cannot be called.' })),
    state: Type.Enum(['new', 'approved', 'changed', 'gone'], {
      description:
        'Agents can call only approved ones. changed: the definition differs from the approved one. gone: approved, but no longer offered by the server.',
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

/** As agents see them. */
export const ProtectedToolList = StrictObject({ data: Type.Array(GatewayToolA) });

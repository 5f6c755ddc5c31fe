/** What a call may be refused with, by status; each surface in its own words, with an example of every code. */
import type { GateErrorCode } from '../../gate/kernel/errors.ts';
import { REPEATABLE_ROUTES, ROUTE_ACCESS, type RouteName } from '../admission/route-scopes.ts';
import type { ErrorTable } from '../errors/error-table.ts';
import type { OpenApiOperation } from './openapi.ts';
import { HEADER_REFS } from './openapi-headers.ts';

const MEANINGS = {
  400: 'A member is missing, malformed or unknown, the JSON is not strict, or the permit does not authorise this',
  401: 'The key is missing or not valid',
  403: 'This credential may not do this, policy denies it, or agent or project are stopped',
  404: 'Unknown to this credential',
  406: 'It is served in another form only',
  408: 'The body took too long to arrive',
  409: 'The state stands in the way, or the first call under this Idempotency-Key still runs',
  410: 'The intent is past its time',
  412: 'Another version is in force by now',
  413: 'The body is larger than 256 KiB',
  415: 'The body is not of the media type this path takes, in UTF-8',
  422: 'Nobody can meet the approval requirement, or this Idempotency-Key was used with another body',
  429: 'Too many requests in this minute',
  '5XX': 'The gate or its storage is not available',
} as const;

type Status = `${keyof typeof MEANINGS}`;

/** Scopes of what is too late once an intent's time is over. */
const ENDING: ReadonlySet<string> = new Set(['intents:decide', 'intents:prove', 'intents:redeem']);

/** The statuses of refusals that a route may answer with. */
export function refusalsOf(name: RouteName, operation: OpenApiOperation): readonly Status[] {
  const scope = ROUTE_ACCESS[name];
  const changes = !name.startsWith('GET ');
  const hasBody = operation.requestBody !== undefined;
  const hasQuery = operation.parameters?.some((parameter) => parameter.in === 'query') === true;
  const aboutIntent = name.includes('/permit') || scope === 'intents:prove';
  const ofGateway = name === 'POST /api/mcp-gateway';
  const ends = ENDING.has(scope) || name.endsWith('/withdraw');
  const ofPolicy = name.startsWith('PUT /v1/projects/:id/policies');
  const ofShadow = name === 'DELETE /v1/projects/:id/policies/shadow';
  const applies: Record<Status, boolean> = {
    // Where a caller is known a query may always be one that is not.
    400: hasBody || hasQuery || scope !== 'public',
    401: scope !== 'public',
    403: scope !== 'public',
    404: name.includes('/:') || aboutIntent || ofGateway,
    406: name === 'GET /v1/status/:list',
    408: hasBody,
    409: changes,
    410: ends || ofGateway,
    412: ofPolicy || ofShadow,
    413: hasBody,
    415: hasBody,
    422: ofPolicy || REPEATABLE_ROUTES.has(name),
    429: true,
    '5XX': true,
  };
  return (Object.keys(MEANINGS) as Status[]).filter((status) => applies[status]);
}

/** `RefusedA400` and the like, for `components.responses`. */
export function refusalResponses(table: ErrorTable, surface: 'A' | 'B'): Record<string, object> {
  return Object.fromEntries(
    Object.entries(MEANINGS).map(([status, description]) => {
      const response = {
        description,
        headers: { ...HEADER_REFS, ...extraHeaders(status) },
        content: {
          'application/json': {
            schema: { $ref: `#/components/schemas/Error${surface}` },
            examples: examplesOf(table, status),
          },
        },
      };
      return [`Refused${surface}${status}`, response];
    }),
  );
}

function extraHeaders(status: string): object {
  if (status !== '429' && status !== '5XX') return {};
  return { 'retry-after': { $ref: '#/components/headers/RetryAfter' } };
}

/** Members beside code, message and request_id, as each code carries them. */
const EXTRA: Partial<Record<GateErrorCode, object>> = {
  forbidden: { required: 'intents:decide' },
  missing_fields: { fields: [{ path: '/action', message: 'is required' }] },
  invalid_fields: { fields: [{ path: '/max_amount', message: 'is not a known member' }] },
  intent_expired: { expired_at: '2026-11-20T10:30:00.000Z' },
  intent_already_resolved: { status: 'approved' },
  approver_not_found: { approvers: ['nobody@example.org'] },
  policy_violation: {
    rule: 'never drop production',
    reason: 'Not by an agent.',
    intent_id: 'int_01kaftx2q8n5m9y0a3v7c1d4ez',
  },
  proof_required: { proof_tier: 'passkey', methods: ['passkey'] },
  permit_invalid: { reason: 'params_mismatch' },
};

function examplesOf(table: ErrorTable, status: string): object {
  const found = (Object.keys(table) as GateErrorCode[]).filter((name) => {
    const answered = String(table[name].status);
    return status === '5XX' ? answered.startsWith('5') : answered === status;
  });
  return Object.fromEntries(
    found.map((name) => {
      const { code } = table[name];
      const error = {
        code,
        message: 'What was wrong and what to do.',
        request_id: 'req_01kaftx2q8n5m9y0a3v7c1d4ez',
        ...EXTRA[name],
      };
      return [name, { summary: code, value: { error } }];
    }),
  );
}

export function errorSchema(table: ErrorTable): object {
  const text = (description: string) => ({ type: 'string', description });
  const texts = (description: string) => ({ type: 'array', items: { type: 'string' }, description });
  return {
    type: 'object',
    title: 'Error',
    required: ['error'],
    additionalProperties: false,
    properties: {
      error: {
        type: 'object',
        required: ['code', 'message', 'request_id'],
        additionalProperties: true,
        properties: {
          code: { type: 'string', enum: [...new Set(Object.values(table).map(({ code }) => code))] },
          message: text('What was wrong and what to do.'),
          request_id: text('As in the header x-request-id.'),
          fields: {
            type: 'array',
            description: 'Every missing or malformed member.',
            items: {
              type: 'object',
              required: ['path', 'message'],
              additionalProperties: false,
              properties: { path: text('JSON Pointer into the request.'), message: { type: 'string' } },
            },
          },
          required: text('The scope that was missing, or who may do it.'),
          reason: {
            type: ['string', 'null'],
            description: 'Why a permit does not authorise, or what policy said.',
          },
          rule: { type: ['string', 'null'], description: 'The rule of the policy that denies.' },
          intent_id: text('The intent that was recorded as denied.'),
          expired_at: text('When the intent’s time ended.'),
          status: text('What the intent is already.'),
          approvers: texts('Names that stand for nobody, or for too few.'),
          proof_tier: text('The proof that approving takes.'),
          methods: texts('What reaches that tier.'),
        },
      },
    },
  };
}

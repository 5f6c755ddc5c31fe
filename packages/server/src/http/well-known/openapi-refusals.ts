/** The possible refusals of a call, by status, in the surface's own codes, with an example of every code. */
import type { GateErrorCode } from '../../gate/kernel/errors.ts';
import { REPEATABLE_ROUTES, ROUTE_ACCESS, type RouteName } from '../admission/route-scopes.ts';
import type { ErrorTable } from '../errors/error-table.ts';
import type { OpenApiOperation } from './openapi.ts';
import { HEADER_REFS } from './openapi-headers.ts';

const MEANINGS = {
  400: 'A member is missing, malformed or unknown, the JSON is not strict, or the permit does not authorise this',
  401: 'The key is missing or not valid',
  403: 'This credential may not do this, the policy denies it, or the agent is paused or revoked or the project stopped',
  404: 'Unknown to this credential',
  406: 'It is only available in another form',
  408: 'The body took too long to arrive',
  409: 'The current state prevents it, or the first call under this Idempotency-Key is still running',
  410: 'The intent has expired',
  412: 'Another version is active now',
  413: 'The body is larger than 256 KiB',
  415: 'The body is not of the media type that this path requires, in UTF-8',
  422: 'Nobody can meet the approval requirement, or this Idempotency-Key was used with another body',
  429: 'Too many requests in this minute',
  '5XX': 'The gate or its storage is not available',
} as const;

type Status = `${keyof typeof MEANINGS}`;

/** Scopes of operations that are refused after an intent has expired. */
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
    // A route with a known caller always refuses an invalid query.
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

/** The members of each code besides code, message and request_id. */
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
            description: 'Why a permit does not authorise, or the policy’s reason.',
          },
          rule: { type: ['string', 'null'], description: 'The policy rule that denies.' },
          intent_id: text('The intent that was recorded as denied.'),
          expired_at: text('When the intent expired.'),
          status: text('The intent’s current status.'),
          approvers: texts('Names that refer to nobody, or to too few people.'),
          proof_tier: text('The proof that an approval requires.'),
          methods: texts('What reaches that tier.'),
        },
      },
    },
  };
}

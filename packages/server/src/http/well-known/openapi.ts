/** The OpenAPI document: what the routes' own schemas say, and what holds for all of them, said once. */
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { type ErrorTables, errorTableFor } from '../shared/error-table.ts';
import { findRouteName, REPEATABLE_ROUTES, ROUTE_ACCESS } from '../shared/route-scopes.ts';

interface OpenApiOperation {
  security?: unknown;
  description?: string;
  parameters?: object[];
  responses: Record<string, { description?: string; headers?: object; content?: object }>;
}

interface OpenApiDocument {
  paths: Record<string, Record<string, OpenApiOperation>>;
  components: { schemas?: Record<string, unknown>; headers?: object; responses?: object };
}

const DESCRIPTION = `Permitry stands between an agent that wants to act and the action. The agent submits an **intent**; policy or a person
approves or denies it; on approval the gate signs a **permit** that is valid once, for exactly this action with exactly these parameters.

Two surfaces show the same resources: \`/api\` (surface A, error codes in UPPER_CASE) and \`/v1\` (surface B, lower_case). What is created through one
can be read, decided and verified through the other.

* Every call carries \`Authorization: Bearer <key>\`. Bodies are strict JSON in UTF-8, at most 256 KiB: unknown members, duplicate names and
  integers beyond 2^53-1 are refused.
* Errors are \`{ "error": { "code", "message", "request_id", ... } }\`.
* Calls that create or consume take an \`Idempotency-Key\` (1 to 255 printable ASCII characters): the same key with the same body gives the first
  answer again, for 24 hours.
* Lists are newest first, in pages: \`limit\` (1 to 200, 50) and \`cursor\`; the answer holds \`next_cursor\`, null on the last page.
* Limits are per project and minute; see the \`x-ratelimit-*\` headers. A refused call answers 429 with \`Retry-After\`.`;

/** Collects every route registered after it. */
export async function addOpenApi(app: FastifyInstance, baseUrl: string, tables: ErrorTables): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: {
        title: 'Permitry',
        version: '0.1.0',
        summary: 'Approval gate for actions of software agents',
        description: DESCRIPTION,
        license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
      },
      servers: [{ url: baseUrl }],
      security: [{ key: [] }],
      components: {
        securitySchemes: {
          key: {
            type: 'http',
            scheme: 'bearer',
            bearerFormat: 'prm_<kind>_<mode>_...',
            description: 'Agent key, secret key, verifier key or user token.',
          },
        },
      },
    },
    transformObject: (given) => {
      const document = ('openapiObject' in given ? given.openapiObject : given.swaggerObject) as object;
      return complete(document as OpenApiDocument, tables) as never;
    },
  });
}

function complete(document: OpenApiDocument, tables: ErrorTables): OpenApiDocument {
  document.components.schemas = {
    ...document.components.schemas,
    ErrorA: errorSchema(Object.values(tables.a).map(({ code }) => code)),
    ErrorB: errorSchema(Object.values(tables.b).map(({ code }) => code)),
  };
  document.components.headers = HEADERS;
  for (const [path, operations] of Object.entries(document.paths)) {
    for (const [method, operation] of Object.entries(operations))
      describeOperation(method, path, operation, tables);
  }
  return document;
}

function describeOperation(
  method: string,
  path: string,
  operation: OpenApiOperation,
  tables: ErrorTables,
): void {
  const name = findRouteName(method.toUpperCase(), path.replace(/\{(\w+)\}/g, ':$1'));
  const table = errorTableFor(tables, path);
  const schema = { $ref: `#/components/schemas/${table === tables.a ? 'ErrorA' : 'ErrorB'}` };
  operation.description = [operation.description, `Takes the scope \`${ROUTE_ACCESS[name]}\`.`]
    .filter(Boolean)
    .join('\n\n');
  if (REPEATABLE_ROUTES.has(name)) operation.parameters = [...(operation.parameters ?? []), IDEMPOTENCY_KEY];
  const { responses } = operation;
  for (const [status, description] of Object.entries(refusalsOf(method, path))) {
    responses[status] ??= { description, content: { 'application/json': { schema } } };
  }
  for (const [status, response] of Object.entries(responses)) {
    if (response.description === 'Default Response')
      response.description = status === '201' ? 'Created' : 'Done';
    response.headers = { ...response.headers, ...HEADER_REFS };
  }
}

/** Refusals that come from the steps every route shares, and the states that stand in the way of the rest. */
function refusalsOf(method: string, path: string): Record<string, string> {
  return {
    ...(method === 'get'
      ? {}
      : { 400: 'A member is missing, malformed or unknown, or the JSON is not strict' }),
    401: 'The key is missing or not valid',
    403: 'This credential may not do this, or agent or project are stopped',
    ...(path.includes('{') ? { 404: 'Unknown to this credential' } : {}),
    ...(method === 'get'
      ? {}
      : { 409: 'The state stands in the way, or the first call under this Idempotency-Key still runs' }),
    429: 'Too many requests in this minute',
    '5XX': 'The gate or its storage is not available',
  };
}

function errorSchema(codes: readonly string[]): object {
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
          code: { type: 'string', enum: [...new Set(codes)] },
          message: { type: 'string', description: 'What was wrong and what to do.' },
          request_id: { type: 'string', description: 'As in the header x-request-id.' },
          fields: {
            type: 'array',
            description: 'Every missing or malformed member.',
            items: {
              type: 'object',
              required: ['path', 'message'],
              additionalProperties: false,
              properties: {
                path: { type: 'string', description: 'JSON Pointer into the request.' },
                message: { type: 'string' },
              },
            },
          },
          reason: {
            type: ['string', 'null'],
            description: 'Why a permit does not authorise, or what policy said.',
          },
          required: { type: 'string', description: 'The scope that was missing.' },
        },
      },
    },
  };
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  description:
    'Repeating the call under the same key gives the first answer again, with `idempotency-replayed: true`.',
  schema: { type: 'string', minLength: 1, maxLength: 255, pattern: '^[ -~]+$' },
  example: 'refund-4711',
};

function integerHeader(description: string): object {
  return { description, schema: { type: 'integer' } };
}

function textHeader(description: string, example: string): object {
  return { description, schema: { type: 'string' }, example };
}

const HEADERS = {
  RequestId: textHeader('Id of this request.', 'req_01kaftx2q8n5m9y0a3v7c1d4ez'),
  RateLimitLimit: integerHeader('Requests per minute in this bucket. Absent where limits are off.'),
  RateLimitRemaining: integerHeader('Requests left in this minute.'),
  RateLimitReset: integerHeader('Seconds since the epoch at which the minute ends.'),
  RateLimit: textHeader('draft-ietf-httpapi-ratelimit-headers.', '"default";r=9999;t=42'),
  RateLimitPolicy: textHeader('draft-ietf-httpapi-ratelimit-headers.', '"default";q=10000;w=60'),
};

const HEADER_REFS = Object.fromEntries(
  Object.entries({
    'x-request-id': 'RequestId',
    'x-ratelimit-limit': 'RateLimitLimit',
    'x-ratelimit-remaining': 'RateLimitRemaining',
    'x-ratelimit-reset': 'RateLimitReset',
    ratelimit: 'RateLimit',
    'ratelimit-policy': 'RateLimitPolicy',
  }).map(([header, component]) => [header, { $ref: `#/components/headers/${component}` }]),
);

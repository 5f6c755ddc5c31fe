/** The OpenAPI document: the routes' own schemas, and what holds for all of them, stated once. */
import swagger from '@fastify/swagger';
import type { FastifyInstance } from 'fastify';
import { findRouteName, REPEATABLE_ROUTES, ROUTE_ACCESS } from '../admission/route-scopes.ts';
import { type ErrorTables, errorTableFor } from '../errors/error-table.ts';
import { nameSchemas } from './name-schemas.ts';
import { HEADER_REFS, HEADERS, IDEMPOTENCY_KEY } from './openapi-headers.ts';
import { errorSchema, refusalResponses, refusalsOf } from './openapi-refusals.ts';

interface OpenApiResponse {
  $ref?: string;
  description?: string;
  headers?: object;
  content?: object;
}

export interface OpenApiOperation {
  description?: string;
  parameters?: { in?: string }[];
  requestBody?: object;
  responses: Record<string, OpenApiResponse>;
}

interface OpenApiDocument {
  paths: Record<string, Record<string, OpenApiOperation>>;
  components: { schemas?: Record<string, unknown>; headers?: object; responses?: object };
}

const DESCRIPTION = `Permitry stands between an agent that wants to act and the action. The agent submits an **intent**; policy or a person
approves or denies it; on approval the gate signs a **permit** that is valid once, for exactly this action with exactly these parameters.

Two surfaces show the same resources: \`/api\` (surface A, error codes in UPPER_CASE) and \`/v1\` (surface B, lower_case). What is created through one
can be read, decided and verified through the other.

* Every call carries \`Authorization: Bearer <key>\`. Bodies are strict JSON in UTF-8, at most 256 KiB: unknown members, duplicate names,
  integers beyond 2^53-1 and numbers with digits that a double does not hold (\`100.00000000000000001\`) are refused.
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
            description: 'Agent key, secret key, verifier key or access token.',
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

function complete(given: OpenApiDocument, tables: ErrorTables): OpenApiDocument {
  const { components } = given;
  for (const [path, operations] of Object.entries(given.paths)) {
    for (const [method, operation] of Object.entries(operations))
      describeOperation(method, path, operation, tables);
  }
  const { document, schemas } = nameSchemas(given.paths);
  components.schemas = {
    ...components.schemas,
    ...schemas,
    ErrorA: errorSchema(tables.a),
    ErrorB: errorSchema(tables.b),
  };
  components.headers = HEADERS;
  const used = JSON.stringify(document);
  components.responses = Object.fromEntries(
    Object.entries({ ...refusalResponses(tables.a, 'A'), ...refusalResponses(tables.b, 'B') }).filter(
      ([name]) => used.includes(`#/components/responses/${name}"`),
    ),
  );
  return { ...given, paths: document };
}

function describeOperation(
  method: string,
  path: string,
  operation: OpenApiOperation,
  tables: ErrorTables,
): void {
  const name = findRouteName(method.toUpperCase(), path.replace(/\{(\w+)\}/g, ':$1'));
  const surface = errorTableFor(tables, path) === tables.a ? 'A' : 'B';
  const access = ROUTE_ACCESS[name];
  const takes = access === 'public' ? 'Needs no key.' : `Requires the scope \`${access}\`.`;
  operation.description = [operation.description, takes].filter(Boolean).join('\n\n');
  if (REPEATABLE_ROUTES.has(name)) operation.parameters = [...(operation.parameters ?? []), IDEMPOTENCY_KEY];
  const { responses } = operation;
  for (const response of Object.values(responses)) {
    if (response.description === 'Default Response') response.description = 'Done';
    response.headers = { ...response.headers, ...HEADER_REFS };
  }
  if (responses['201']) responses['201'].description = 'Created';
  for (const status of refusalsOf(name, operation)) {
    responses[status] ??= { $ref: `#/components/responses/Refused${surface}${status}` };
  }
}

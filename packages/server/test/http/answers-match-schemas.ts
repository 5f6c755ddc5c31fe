/** Checks every answer of an app under test against the schema of its route. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import fastifyPlugin from 'fastify-plugin';
import { Compile } from 'typebox/compile';
import { SURFACE_A_ERRORS } from '../../src/http/surface-a/error-codes.ts';
import { SURFACE_B_ERRORS } from '../../src/http/surface-b/error-codes.ts';

type JsonSchema = Record<string, unknown>;

/** Closes every object schema that names members, so that unlisted members are an error. */
function close(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(close);
  if (typeof schema !== 'object' || schema === null) return schema;
  const closed: JsonSchema = Object.fromEntries(
    Object.entries(schema).map(([name, member]) => [name, name === 'enum' ? member : close(member)]),
  );
  if ('properties' in closed && !('additionalProperties' in closed)) closed.additionalProperties = false;
  return closed;
}

const validators = new WeakMap<object, ReturnType<typeof Compile>>();

function validatorOf(schema: object): ReturnType<typeof Compile> {
  const known = validators.get(schema);
  if (known) return known;
  const made = Compile(close(schema) as JsonSchema);
  validators.set(schema, made);
  return made;
}

/** The problems of an answer; empty if it matches its schema. */
function problemsOf(request: FastifyRequest, reply: FastifyReply, payload: unknown): string[] {
  const { schema, url } = request.routeOptions;
  const { statusCode } = reply;
  const isJson = String(reply.getHeader('content-type') ?? '').startsWith('application/json');
  if (statusCode >= 400 && isJson && url !== '/readyz')
    return problemsOfError(request, reply, String(payload));
  if (url === undefined || schema?.hide === true) return [];
  const promised = (schema?.response as Record<number, object> | undefined)?.[statusCode];
  if (promised === undefined) return [`no schema for the status ${statusCode}`];
  if (statusCode === 204 || statusCode === 304) return payload ? [`a body with ${statusCode}`] : [];
  // The tests that read NDJSON answers check them.
  if (isByType(promised) && !isJson) return [];
  const validator = validatorOf(isByType(promised) ? promised.content['application/json'].schema : promised);
  const body: unknown = JSON.parse(String(payload));
  return validator.Errors(body).map(({ instancePath, message }) => `${instancePath} ${message}`);
}

/** Whether the schema differs by media type. */
function isByType(promised: object): promised is { content: { 'application/json': { schema: object } } } {
  return 'content' in promised;
}

function problemsOfError(request: FastifyRequest, reply: FastifyReply, payload: string): string[] {
  if (payload.includes('"jsonrpc":"2.0"')) return problemsOfRpcError(payload);
  const table = /^\/api(?:[/?]|$)/.test(request.url) ? SURFACE_A_ERRORS : SURFACE_B_ERRORS;
  const { error, ...rest } = JSON.parse(payload) as { error?: Record<string, unknown> };
  const known = Object.values(table).some(
    ({ code, status }) =>
      code === error?.code &&
      // An unsupported transfer coding is a bad request with its own status.
      (status === reply.statusCode || (status === 400 && reply.statusCode === 501)),
  );
  return [
    ...(Object.keys(rest).length > 0 ? ['an error with members beside "error"'] : []),
    ...(known ? [] : [`the code ${String(error?.code)} with the status ${reply.statusCode}`]),
    ...(typeof error?.message === 'string' && error.message !== '' ? [] : ['an error without a message']),
    ...(/^req_/.test(String(error?.request_id)) ? [] : ['an error without a request_id']),
  ];
}

/** Errors of the `/mcp` protocol itself (JSON-RPC 2.0). */
function problemsOfRpcError(payload: string): string[] {
  const { id, error } = JSON.parse(payload) as {
    id?: unknown;
    error?: { code?: unknown; message?: unknown };
  };
  return id !== undefined && Number.isInteger(error?.code) && error?.message ? [] : ['no error of JSON-RPC'];
}

/**
 * Pass the plugin to `buildApp` as an extension: an answer that does not match becomes a 500, and `assertAll` throws.
 *
 * @example
 * const answers = answersMatchSchemas();
 * const app = await buildApp({ …, extensions: [answers.plugin] });
 * afterAll(() => answers.assertAll());
 */
export function answersMatchSchemas() {
  const found: string[] = [];
  const plugin = fastifyPlugin((app, _options, done: () => void) => {
    app.addHook('onSend', async (request, reply, payload) => {
      const problems = problemsOf(request, reply, payload);
      if (problems.length === 0) return payload;
      const line = `${request.method} ${request.url} answered ${reply.statusCode}: ${problems.join('; ')}`;
      found.push(`${line}\n${String(payload)}`);
      reply.removeHeader('content-length');
      throw new Error(line);
    });
    done();
  });
  return {
    plugin,
    assertAll(): void {
      if (found.length > 0) throw new Error(`answers unlike their schemas:\n${found.join('\n')}`);
    },
  };
}

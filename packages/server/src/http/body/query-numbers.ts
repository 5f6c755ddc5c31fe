import type { FastifyRequest, preValidationHookHandler } from 'fastify';

/** Only the canonical spelling. `1e2`, `+5`, ` 5`, `05` and `5.0` stay text, and the schema refuses them. */
const INTEGER = /^(?:0|-?[1-9][0-9]{0,14})$/;

/**
 * Parses the integers of a query string strictly, because the validator coerces nothing. Undefined when the schema has
 * none.
 *
 * @param querystring JSON Schema of the query. Members of `type: 'integer'` are parsed.
 */
export function readQueryNumbers(querystring: unknown): preValidationHookHandler | undefined {
  const names = integerProperties(querystring);
  if (names.length === 0) return undefined;
  return (request: FastifyRequest, _reply, done) => {
    const query = request.query as Record<string, unknown>;
    for (const name of names) {
      const text = query[name];
      if (typeof text === 'string' && INTEGER.test(text)) query[name] = Number(text);
    }
    done();
  };
}

function integerProperties(schema: unknown): string[] {
  const { properties = {} } = (schema ?? {}) as { properties?: Record<string, { type?: unknown }> };
  return Object.entries(properties).flatMap(([name, { type }]) => (type === 'integer' ? [name] : []));
}

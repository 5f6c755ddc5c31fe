import type { FastifyRequest } from 'fastify';

/**
 * The project in the path, if any. Whether there is one follows from the pattern of the route that matched the path.
 */
export function findProjectId(request: FastifyRequest): string | undefined {
  if (!/^\/(?:v1|console)\/projects\/:id(?:\/|$)/.test(request.routeOptions.url ?? '')) return undefined;
  const { id } = request.params as { id?: string };
  return id;
}

/** The intent in the path, if any. */
export function findIntentId(request: FastifyRequest): string | undefined {
  if (!/^\/(?:api|v1|console)\/intents\/:id(?:\/|$)/.test(request.routeOptions.url ?? '')) return undefined;
  const { id } = request.params as { id?: string };
  return id;
}

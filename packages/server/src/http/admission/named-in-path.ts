import type { FastifyRequest } from 'fastify';

/** The project a path names, if it names one: by the route, which is found by the same path as its parameters. */
export function findProjectId(request: FastifyRequest): string | undefined {
  if (!/^\/(?:v1|console)\/projects\/:id(?:\/|$)/.test(request.routeOptions.url ?? '')) return undefined;
  const { id } = request.params as { id?: string };
  return id;
}

/** The intent a path names, if it names one. */
export function findIntentId(request: FastifyRequest): string | undefined {
  if (!/^\/(?:api|v1|console)\/intents\/:id(?:\/|$)/.test(request.routeOptions.url ?? '')) return undefined;
  const { id } = request.params as { id?: string };
  return id;
}

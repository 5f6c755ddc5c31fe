import type { RouteOptions } from 'fastify';

/** Sets the status of a route whose schema has only one for success. A route with several sets the status itself. */
export function answerWithStatus(route: RouteOptions): void {
  const { response = {} } = (route.schema ?? {}) as { response?: object };
  const [status = '200', ...others] = Object.keys(response).filter((code) => code.startsWith('2'));
  // Fastify sends 200 by default. If it were set here, a redirection would also be sent with 200.
  if (status === '200' || others.length > 0) return;
  const { handler } = route;
  route.handler = function answer(request, reply) {
    reply.code(Number(status));
    return handler.call(this, request, reply);
  };
}

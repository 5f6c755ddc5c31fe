import type { RouteOptions } from 'fastify';

/** A route whose schema has one status for success answers with that; one that has several says which. */
export function answerWithStatus(route: RouteOptions): void {
  const { response = {} } = (route.schema ?? {}) as { response?: object };
  const [status = '200', ...others] = Object.keys(response).filter((code) => code.startsWith('2'));
  // Fastify answers 200 by itself, and a redirection goes out with whatever status was said before.
  if (status === '200' || others.length > 0) return;
  const { handler } = route;
  route.handler = function answer(request, reply) {
    reply.code(Number(status));
    return handler.call(this, request, reply);
  };
}

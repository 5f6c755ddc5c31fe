import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';

/** One line per answer, for whoever asked for them by the log level; refusals have a line of their own anyway. */
export function logAnswers(app: FastifyInstance, logger: Logger): void {
  app.addHook('onResponse', (request, reply, done) => {
    logger.debug(
      {
        request_id: request.id,
        method: request.method,
        route: request.routeOptions.url ?? '(no route)',
        status: reply.statusCode,
        ms: Math.round(reply.elapsedTime * 100) / 100,
        ...(request.caller ? { credential: request.caller.credentialId } : {}),
      },
      'answered',
    );
    done();
  });
}

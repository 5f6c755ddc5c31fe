import { createHash, timingSafeEqual } from 'node:crypto';
import type { Server } from 'node:http';
import type { FastifyInstance } from 'fastify';
import { GateError } from '../../gate/kernel/errors.ts';
import type { Metrics } from '../../ops/metrics/metrics.ts';
import { http } from '../../runtime/node-http.ts';
import { NO_SUCH_PATH } from '../errors/framework-errors.ts';

/**
 * `/metrics` beside the API. Requires the metrics token. If metrics are off or no token is configured, the path does
 * not exist.
 */
export function addMetricsPage(app: FastifyInstance, metrics: Metrics | null, token: string | null): void {
  app.get('/metrics', { schema: { hide: true } }, async (request, reply) => {
    if (metrics === null || token === null) throw new GateError('not_found', NO_SUCH_PATH, {});
    const presented = /^bearer +(\S+)$/i.exec(request.headers.authorization ?? '')?.[1];
    if (presented === undefined || !isSame(presented, token)) {
      throw new GateError('unauthorized', 'Send the metrics token as Authorization: Bearer <token>.', {});
    }
    return reply.type(metrics.contentType).send(await metrics.render());
  });
}

/** `/metrics` on a port of its own, for networks where only the collector can reach that port. */
export function createMetricsServer(metrics: Metrics): Server {
  return http.createServer((request, response) => {
    if (request.method !== 'GET' || request.url !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    metrics.render().then(
      (text) => response.writeHead(200, { 'content-type': metrics.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
}

/** Compares digests in constant time, so neither content nor length leaks. */
function isSame(presented: string, expected: string): boolean {
  return timingSafeEqual(digest(presented), digest(expected));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

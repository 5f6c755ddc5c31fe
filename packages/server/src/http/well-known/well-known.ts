/** The public pages and documents. */
import helmet from '@fastify/helmet';
import type { FastifyInstance } from 'fastify';
import { JWKS_MAX_AGE_SECONDS } from '../../gate/kernel/signer.ts';
import type { GateParts } from '../../open-gate.ts';
import type { Metrics } from '../../ops/metrics/metrics.ts';
import { renderDocsPage } from './docs-page.ts';
import { addHealth } from './health.ts';
import { addMetricsPage } from './metrics-page.ts';
import { PAGE_POLICY } from './page.ts';

export interface WellKnown {
  gate: GateParts;
  metrics: Metrics | null;
  metricsToken: string | null;
  isDraining: () => boolean;
  /** The OpenAPI document. Complete once every route is registered. */
  document: () => object;
}

export async function addWellKnown(app: FastifyInstance, parts: WellKnown): Promise<void> {
  addHealth(app, parts.gate, parts.isDraining);
  addMetricsPage(app, parts.metrics, parts.metricsToken);
  addDocuments(app, parts);
  await app.register((scope) => addReference(scope, parts));
}

function addDocuments(app: FastifyInstance, { gate, document }: WellKnown): void {
  // Bytes, so that all slow readers share the same ones.
  const openapi = once(() => Buffer.from(JSON.stringify(document())));
  app.get('/.well-known/jwks.json', { schema: { hide: true } }, (_request, reply) =>
    reply
      .header('cache-control', `public, max-age=${JWKS_MAX_AGE_SECONDS}`)
      .send({ keys: gate.tokens.signer.publicKeys() }),
  );
  app.get('/openapi.json', { schema: { hide: true } }, (_request, reply) =>
    reply
      .type('application/json; charset=utf-8')
      .header('cache-control', 'public, max-age=300')
      .send(openapi()),
  );
}

async function addReference(app: FastifyInstance, { document }: WellKnown): Promise<void> {
  await app.register(helmet, {
    contentSecurityPolicy: { useDefaults: false, directives: PAGE_POLICY },
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'deny' },
  });
  const docs = once(() => Buffer.from(renderDocsPage(document())));
  app.get('/docs', { schema: { hide: true } }, (_request, reply) =>
    reply.type('text/html; charset=utf-8').send(docs()),
  );
}

function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

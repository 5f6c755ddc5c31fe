import type { FastifyInstance } from 'fastify';
import type { Gate } from '../../gate/gate.ts';

const PATIENCE_MS = 2000;

/**
 * `/healthz`: the process is alive, restart it otherwise. `/readyz`: it can serve, send it requests; not while it is
 * about to stop or its storage does not answer.
 */
export function addHealth(app: FastifyInstance, gate: Gate, isDraining: () => boolean): void {
  app.get('/healthz', { schema: { hide: true } }, (_request, reply) => reply.send({ status: 'ok' }));
  app.get('/readyz', { schema: { hide: true } }, async (_request, reply) => {
    const status = isDraining() ? 'draining' : await storageStatus(gate);
    return reply.code(status === 'ready' ? 200 : 503).send({ status });
  });
}

async function storageStatus(gate: Gate): Promise<'ready' | 'storage_unavailable'> {
  const late = Promise.withResolvers<'storage_unavailable'>();
  const timer = setTimeout(() => late.resolve('storage_unavailable'), PATIENCE_MS);
  try {
    const answered = gate.storage.read.findNextExpiry().then(() => 'ready' as const);
    return await Promise.race([answered, late.promise]);
  } catch {
    return 'storage_unavailable';
  } finally {
    clearTimeout(timer);
  }
}

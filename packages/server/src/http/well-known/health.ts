import type { FastifyInstance } from 'fastify';
import type { Gate } from '../../gate/gate.ts';

const PATIENCE_MS = 2000;

/**
 * `/healthz`: the process is alive, restart it otherwise. `/readyz`: it can serve, send it requests; not while it is
 * about to stop, its database lost commits, its storage does not answer, or it cannot sign.
 */
export function addHealth(app: FastifyInstance, gate: Gate, isDraining: () => boolean): void {
  app.get('/healthz', { schema: { hide: true } }, (_request, reply) => reply.send({ status: 'ok' }));
  app.get('/readyz', { schema: { hide: true } }, async (_request, reply) => {
    const status = isDraining() ? 'draining' : await statusOf(gate);
    return reply.code(status === 'ready' ? 200 : 503).send({ status });
  });
}

type Status = 'ready' | 'commits_lost' | 'storage_unavailable' | 'signer_unavailable';

async function statusOf(gate: Gate): Promise<Status> {
  if (gate.losses.heldUntil !== null) return 'commits_lost';
  const [storage, signer] = await Promise.all([
    answersInTime(() => gate.storage.read.findNextExpiry()),
    answersInTime(() => gate.signer.assertCanSign()),
  ]);
  if (!storage) return 'storage_unavailable';
  return signer ? 'ready' : 'signer_unavailable';
}

async function answersInTime(ask: () => Promise<unknown>): Promise<boolean> {
  const late = Promise.withResolvers<false>();
  const timer = setTimeout(() => late.resolve(false), PATIENCE_MS);
  try {
    return await Promise.race([ask().then(() => true), late.promise]);
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
  }
}

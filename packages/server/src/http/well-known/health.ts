import type { FastifyInstance } from 'fastify';
import type { GateParts } from '../../open-gate.ts';

const PATIENCE_MS = 2000;
/** One write per interval, however many callers ask. */
const WRITE_EVERY_MS = 2000;

/**
 * `/healthz`: the process is alive; otherwise restart it. `/readyz`: the gate can serve, so send it requests. The gate
 * is not ready while it is stopping, cannot sign, or its database has lost commits. It is not ready either while its
 * storage does not answer or is not writable.
 */
export function addHealth(app: FastifyInstance, gate: GateParts, isDraining: () => boolean): void {
  const writes = new WriteProbe(gate);
  app.get('/healthz', { schema: { hide: true } }, (_request, reply) => reply.send({ status: 'ok' }));
  app.get('/readyz', { schema: { hide: true } }, async (_request, reply) => {
    const status = isDraining() ? 'draining' : await statusOf(gate, writes);
    return reply.code(status === 'ready' ? 200 : 503).send({ status });
  });
}

type Status = 'ready' | 'commits_lost' | 'storage_unavailable' | 'signer_unavailable';

async function statusOf(gate: GateParts, writes: WriteProbe): Promise<Status> {
  const [storage, signer] = await Promise.all([
    answersInTime(() => Promise.all([gate.storage.read.findNextExpiry(), writes.work()])),
    answersInTime(() => gate.tokens.signer.assertCanSign()),
  ]);
  // A database that lost commits is not writable either.
  if (gate.losses.intactUntil !== null) return 'commits_lost';
  if (!storage) return 'storage_unavailable';
  return signer ? 'ready' : 'signer_unavailable';
}

/** Whether the storage is writable: a full disk can still be read. */
class WriteProbe {
  readonly #gate: GateParts;
  #triedAt = Number.NEGATIVE_INFINITY;
  #tried: Promise<void> = Promise.resolve();

  constructor(gate: GateParts) {
    this.#gate = gate;
  }

  /** @throws GateError `service_unavailable` */
  work(): Promise<void> {
    const now = performance.now();
    if (now - this.#triedAt >= WRITE_EVERY_MS) {
      this.#triedAt = now;
      const { clock, storage } = this.#gate;
      // In a transaction of its own: all gates share the row, and a group would lock it until all works of the group
      // end.
      this.#tried = storage.transaction((tx) => tx.putInstallationFact('write_tried', clock.now()));
    }
    return this.#tried;
  }
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

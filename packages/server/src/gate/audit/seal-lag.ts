import type { AuditDeps } from './audit-deps.ts';

export interface SealLag {
  /** Number of projects with unsealed events. */
  projects: number;
  /** How long, in seconds, the same event has been first in the queue, in the project that waits longest. */
  seconds: number;
}

/**
 * How far sealing is behind, whichever gate does it. An event counts from the first look that finds it unsealed, so the
 * figure is as exact as looks are frequent. While sealing works, no two looks find the same event.
 */
export class SealLagMeter {
  readonly #gate: Pick<AuditDeps, 'storage'>;
  #waiting = new Map<string, { firstPosition: number; since: number }>();

  constructor(gate: Pick<AuditDeps, 'storage'>) {
    this.#gate = gate;
  }

  /** @param now Milliseconds of a monotonic clock. */
  async measure(now: number): Promise<SealLag> {
    const found = await this.#gate.storage.read.listUnsealedProjects();
    const before = this.#waiting;
    this.#waiting = new Map(
      found.map(({ projectId, firstPosition }) => {
        const known = before.get(projectId);
        return [
          projectId,
          { firstPosition, since: known?.firstPosition === firstPosition ? known.since : now },
        ];
      }),
    );
    const oldest = Math.min(now, ...[...this.#waiting.values()].map(({ since }) => since));
    return { projects: found.length, seconds: (now - oldest) / 1000 };
  }
}

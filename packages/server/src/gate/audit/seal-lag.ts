import type { AuditDeps } from './audit-deps.ts';

export interface SealLag {
  /** Number of projects with unsealed events. */
  projects: number;
  /** Seconds that the same event has been first in its project's queue: the longest of all projects. */
  seconds: number;
}

/**
 * How far sealing is behind, whichever gate does it. Counts an event from the first measurement that finds it unsealed,
 * so the figure is as exact as the interval between measurements. While sealing works, no two measurements find the
 * same event.
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

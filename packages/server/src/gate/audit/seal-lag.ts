import type { AuditDeps } from './audit-deps.ts';

export interface SealLag {
  /** With events that are not sealed yet. */
  projects: number;
  /** For how long, in seconds, the same event has been the first that waits, in the project that waits longest. */
  seconds: number;
}

/**
 * How far sealing is behind, whichever gate does it. An event is known from the first look that finds it unsealed, so
 * the figure is as exact as looks are frequent; while sealing works, no two looks find the same.
 */
export class SealLagMeter {
  readonly #gate: Pick<AuditDeps, 'storage'>;
  #waiting = new Map<string, { firstPosition: number; since: number }>();

  constructor(gate: Pick<AuditDeps, 'storage'>) {
    this.#gate = gate;
  }

  /** @param now Milliseconds of a clock that is never set back. */
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

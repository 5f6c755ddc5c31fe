import { repeatedly } from '../kernel/repeatedly.ts';
import type { Leases } from '../leases/leases.ts';
import { eraseAged } from './erase-aged.ts';
import type { ErasureDeps } from './erasure-deps.ts';

const EVERY_MS = 3_600_000;
/** After the start, so that a gate that is started often sweeps as well. */
const FIRST_MS = 60_000;
/** Between two transactions: requests come first. */
const PAUSE_MS = 50;

/** Erases what projects keep no longer, once an hour, in steps that nobody notices. */
export class RetentionSweeper {
  readonly #gate: ErasureDeps & { leases: Leases };
  /** Where a project says nothing of its own; 0: for ever. */
  readonly #days: number;
  readonly #onError: (error: unknown) => void;
  readonly #stopping = new AbortController();
  #stop = async (): Promise<void> => {};

  constructor(gate: ErasureDeps & { leases: Leases }, days: number, onError: (error: unknown) => void) {
    this.#gate = gate;
    this.#days = days;
    this.#onError = onError;
  }

  start(): void {
    this.#stop = repeatedly(
      EVERY_MS,
      () => this.sweep(),
      (error) => {
        if (!this.#stopping.signal.aborted) this.#onError(error);
      },
      { firstAfterMs: FIRST_MS },
    );
  }

  /** Resolves when the step under way has ended; the rest is left to the next start. */
  stop(): Promise<void> {
    this.#stopping.abort();
    return this.#stop();
  }

  /** Every project once, but for those that another gate sweeps. */
  async sweep(): Promise<void> {
    const { leases } = this.#gate;
    const { read } = this.#gate.storage;
    for (const { id: projectId } of await read.listProjects()) {
      const { days } = await read.findRetention(projectId);
      const inForce = days ?? this.#days;
      if (inForce === 0) continue;
      // Another gate may be at it: two would only be in one another's way.
      await leases.hold({ queue: 'retention', name: projectId }, () =>
        eraseAged(this.#gate, null, { projectId, days: inForce }, { pause: () => this.#pause() }),
      );
    }
  }

  /** Rejects when the gate is to stop: what was committed stays, and the next run goes on from there. */
  #pause(): Promise<void> {
    const { signal } = this.#stopping;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        signal.removeEventListener('abort', cut);
        resolve();
      }, PAUSE_MS);
      function cut(): void {
        clearTimeout(timer);
        reject(new Error('the gate is stopping'));
      }
      if (signal.aborted) cut();
      else signal.addEventListener('abort', cut, { once: true });
    });
  }
}

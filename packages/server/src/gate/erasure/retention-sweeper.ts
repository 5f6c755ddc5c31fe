import { repeatedly } from '../kernel/repeatedly.ts';
import type { Leases } from '../leases/leases.ts';
import { eraseAged } from './erase-aged.ts';
import type { ErasureDeps } from './erasure-deps.ts';

const EVERY_MS = 3_600_000;
/** Milliseconds from the start to the first sweep, so that a gate that restarts often sweeps as well. */
const FIRST_MS = 60_000;
/** The pause between two transactions, because requests come first. */
const PAUSE_MS = 50;

/** Once an hour, erases the texts that projects no longer keep, in steps so small that nobody notices. */
export class RetentionSweeper {
  readonly #gate: ErasureDeps & { leases: Leases };
  /** The days for projects without a setting of their own. 0: forever. */
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

  /** Resolves when the current step has ended. The next start continues with the rest. */
  stop(): Promise<void> {
    this.#stopping.abort();
    return this.#stop();
  }

  /** Sweeps every project once, except those that another gate sweeps. */
  async sweep(): Promise<void> {
    const { leases } = this.#gate;
    const { read } = this.#gate.storage;
    for (const { id: projectId } of await read.listProjects()) {
      const { days } = await read.findRetention(projectId);
      const inForce = days ?? this.#days;
      if (inForce === 0) continue;
      // Another gate may be sweeping the project, and two gates would only obstruct each other.
      await leases.hold({ queue: 'retention', name: projectId }, () =>
        eraseAged(this.#gate, null, { projectId, days: inForce }, { pause: () => this.#pause() }),
      );
    }
  }

  /** Rejects when the gate is stopping. What was committed stays, and the next run continues from there. */
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

import { GateError } from '../../kernel/errors.ts';
import { sayDuration } from '../../kernel/say-duration.ts';
import type { SimulationJob, SimulationReport } from './simulation-job.ts';

/** A running simulation. */
export interface RunningSimulation {
  /** Throws if the simulation fails. Ends early once the simulation is stopped. */
  readonly reports: AsyncIterable<SimulationReport>;
  /** Resolves when no part of the simulation runs any longer, however it ended. */
  readonly ended: Promise<void>;
  stop(): void;
}

/** The port that runs simulations apart from requests. */
export interface SimulationRunner {
  start(job: SimulationJob): RunningSimulation;
}

/** Each simulation occupies a core while it runs. */
const MOST_AT_ONCE = 2;
const TRY_AGAIN_SECONDS = 10;

/** Allows one simulation per project, and a few simultaneous ones in the whole gate. */
export class Simulations {
  readonly #runner: SimulationRunner;
  readonly #running = new Map<string, RunningSimulation>();

  constructor(runner: SimulationRunner) {
    this.#runner = runner;
  }

  get running(): number {
    return this.#running.size;
  }

  /**
   * @param signal Stops the simulation, e.g. when the client disconnects.
   * @throws GateError `conflict` while a simulation of this project runs, `rate_limited` while too many others do
   */
  start(job: SimulationJob, signal?: AbortSignal): RunningSimulation {
    const { projectId } = job;
    if (this.#running.has(projectId)) {
      throw new GateError(
        'conflict',
        'A simulation of this project is already running; wait until it ends, or close its connection to stop it.',
        {},
      );
    }
    if (this.#running.size >= MOST_AT_ONCE) {
      throw new GateError(
        'rate_limited',
        `${MOST_AT_ONCE} simulations of other projects are running; try again in ${sayDuration(TRY_AGAIN_SECONDS)}.`,
        { retry_after_seconds: TRY_AGAIN_SECONDS },
      );
    }
    const simulation = this.#runner.start(job);
    this.#running.set(projectId, simulation);
    const stop = (): void => simulation.stop();
    if (signal?.aborted) stop();
    signal?.addEventListener('abort', stop, { once: true });
    void simulation.ended.then(() => {
      this.#running.delete(projectId);
      signal?.removeEventListener('abort', stop);
    });
    return simulation;
  }

  /** Stops all simulations, and resolves when none runs any longer. */
  async close(): Promise<void> {
    const running = [...this.#running.values()];
    for (const simulation of running) simulation.stop();
    await Promise.all(running.map(({ ended }) => ended));
  }
}

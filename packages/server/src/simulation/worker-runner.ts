/** Runs simulations on threads of their own, so that no request waits for one. */
import { on } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { SimulationJob, SimulationReport } from '../gate/policy-management/simulation/simulation-job.ts';
import type {
  RunningSimulation,
  SimulationRunner,
} from '../gate/policy-management/simulation/simulations.ts';
import type { GateDatabase } from '../storage/open-storage.ts';

/**
 * Enough for a batch of the largest intents. A simulation that needs more is ended, so that the gate does not run out
 * of memory.
 */
const RESOURCE_LIMITS = { maxOldGenerationSizeMb: 192, maxYoungGenerationSizeMb: 16 };

export interface WorkerInput {
  database: GateDatabase;
  job: SimulationJob;
}

export class WorkerRunner implements SimulationRunner {
  readonly #database: GateDatabase;

  constructor(database: GateDatabase) {
    this.#database = database;
  }

  start(job: SimulationJob): RunningSimulation {
    const workerData: WorkerInput = { database: this.#database, job };
    const worker = new Worker(new URL('./simulation-worker.ts', import.meta.url), {
      workerData,
      resourceLimits: RESOURCE_LIMITS,
      name: 'permitry-simulation',
    });
    // Listens from the first moment, so that messages before the first read are kept.
    const messages = on(worker, 'message', { close: ['exit'] });
    const ended = new Promise<void>((resolve) => worker.once('exit', () => resolve()));
    // An error ends the thread and is thrown to the reader of the reports. Without a reader it must not end this
    // process.
    worker.on('error', () => undefined);
    return {
      reports: readReports(messages),
      ended,
      stop: () => void worker.terminate(),
    };
  }
}

async function* readReports(
  messages: AsyncIterable<unknown[]>,
): AsyncGenerator<SimulationReport, void, void> {
  for await (const [report] of messages) yield report as SimulationReport;
}

import { parentPort, workerData } from 'node:worker_threads';
import { runSimulation } from '../gate/policy-management/simulation/run-simulation.ts';
import { openReader } from '../storage/open-storage.ts';
import { stepBack, WALKING } from './step-back.ts';
import type { WorkerInput } from './worker-runner.ts';

const REST_MS = 0.1;
const never = new Int32Array(new SharedArrayBuffer(4));

/**
 * Sleeps for a moment. A low priority is not enough: a thread that never pauses finishes its time slice, some
 * milliseconds, before a request on the same core continues.
 */
function rest(): void {
  Atomics.wait(never, 0, 0, REST_MS);
}

/**
 * Runs the simulation that this thread was started for. Reads on a connection of its own, and reports to the thread
 * that started it.
 */
export async function reportSimulation(): Promise<void> {
  const { database, job } = workerData as WorkerInput;
  if (job.against.kind === 'stored') stepBack(WALKING);
  const storage = await openReader(database);
  try {
    for await (const report of runSimulation(storage.read, job, () => performance.now(), rest)) {
      parentPort?.postMessage(report);
    }
  } finally {
    await storage.close();
  }
}

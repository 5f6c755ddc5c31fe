/** The thread of one simulation: reads by a connection of its own, reports, and ends. */
import { setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { runSimulation } from '../gate/policy/simulation/run-simulation.ts';
import { openReadOnly } from '../storage/sqlite/open-read-only.ts';
import type { WorkerInput } from './worker-runner.ts';

const { directory, job } = workerData as WorkerInput;

// Linux has priorities for single threads: requests go first, also where there is one core for both. Elsewhere
// this would be the priority of the whole process.
if (process.platform === 'linux') setPriority(0, 19);

const storage = openReadOnly(directory);
try {
  for await (const report of runSimulation(storage.read, job, () => performance.now())) {
    parentPort?.postMessage(report);
  }
} finally {
  storage.close();
}

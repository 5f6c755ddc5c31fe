/** Gate and floor share one core, one after the other; the load has another. */
import { spawnSync } from 'node:child_process';

export const SERVER_CORE = 0;
const LOAD_CORE = 1;

/** Binds this process. @throws where `taskset` or the second core is missing */
export function bindLoad(): void {
  const { status } = spawnSync('taskset', ['-cp', String(LOAD_CORE), String(process.pid)]);
  if (status !== 0) throw new Error('The benchmark needs Linux, two cores and taskset.');
}

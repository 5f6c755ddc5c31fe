/** Gate and floor share one core, one after the other; the load has another. */
import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';

export const SERVER_CORE = 0;
const LOAD_CORE = 1;
/** Of a gate that is given two: as `taskset` names them. */
export const TWO_CORES = '0,1';

/**
 * Binds this process: to the last core where the gate has two, which is the gate's second where there are no more.
 *
 * @throws where `taskset` or the second core is missing
 */
export function bindLoad(gateCores: 1 | 2 = 1): void {
  const core = gateCores === 2 ? cpus().length - 1 : LOAD_CORE;
  const { status } = spawnSync('taskset', ['-cp', String(core), String(process.pid)]);
  if (status !== 0) throw new Error('The benchmark needs Linux, two cores and taskset.');
}

/** Gate and floor share one core, one after the other. The load has another. */
import { spawnSync } from 'node:child_process';
import { cpus } from 'node:os';

export const SERVER_CORE = 0;
const LOAD_CORE = 1;
/** The cores of a gate that gets two, in the format of `taskset`. */
export const TWO_CORES = '0,1';

/**
 * Binds this process to the load's core. If the gate has two cores, the load gets the last core, which is the gate's
 * second core if there are no more.
 *
 * @throws when `taskset` or the second core is missing
 */
export function bindLoad(gateCores: 1 | 2 = 1): void {
  const core = gateCores === 2 ? cpus().length - 1 : LOAD_CORE;
  const { status } = spawnSync('taskset', ['-cp', String(core), String(process.pid)]);
  if (status !== 0) throw new Error('The benchmark needs Linux, two cores and taskset.');
}

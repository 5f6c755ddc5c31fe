/** A fault of a cluster under load, and how the recovery appears from outside. */
import type { Random } from '../random.ts';
import type { World } from './world.ts';

interface Strike {
  random: Random;
  /** Inside `npm run test:release`: everything that takes time is shorter. */
  short: boolean;
}

export interface Fault {
  name: string;
  summary: string;
  /** Rounds of the long form. */
  rounds: number;
  /** Whether the first primary stores its files on a disk that can be filled. */
  needsSmallDisk?: boolean;
  /**
   * Causes the fault, and waits until all gates make changes again on their own. Returns what was done and observed.
   *
   * @throws FaultFound when they do not recover
   */
  strike(world: World, strike: Strike): Promise<string>;
}

export function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(1)} s`;
}

import { setPriority } from 'node:os';

/**
 * The niceness for about a tenth of a core that requests also want. A caller who simulates a few intents waits for the
 * answer.
 */
export const LOADING = 10;
/** The niceness for almost nothing of such a core. A simulation of a million intents may take long. */
export const WALKING = 19;

/**
 * Lowers the priority of this thread, so that requests come first when they share a core. Only on Linux, because
 * elsewhere it would change the whole process.
 */
export function stepBack(niceness: number): void {
  if (process.platform === 'linux') setPriority(0, niceness);
}

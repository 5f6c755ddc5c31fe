import { setPriority } from 'node:os';

/** A tenth of a core that requests also want: a caller who simulates a few intents waits for the answer, too. */
export const LOADING = 10;
/** Almost nothing of it: a walk over a million intents has time. */
export const WALKING = 19;

/**
 * Lowers the priority of this thread, so that requests come first when they share a core. Only on Linux, because
 * elsewhere it would change the whole process.
 */
export function stepBack(niceness: number): void {
  if (process.platform === 'linux') setPriority(0, niceness);
}

import { setPriority } from 'node:os';

/** A tenth of a core that requests want as well: whoever asks about a few intents waits for an answer, too. */
export const LOADING = 10;
/** Next to nothing of it: a walk over a million intents has time. */
export const WALKING = 19;

/**
 * Lowers the priority of this thread, so that requests go first where there is one core for both. Only on Linux:
 * elsewhere this would be the priority of the whole process.
 */
export function stepBack(niceness: number): void {
  if (process.platform === 'linux') setPriority(0, niceness);
}

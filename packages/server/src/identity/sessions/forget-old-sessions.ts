import type { Gate } from '../../gate/gate.ts';
import { sweep } from '../../gate/sweep.ts';

/** Deletes sessions whose time is over; answers how many. */
export function forgetOldSessions(gate: Gate): Promise<number> {
  return sweep(gate, (tx, now, limit) => tx.deleteOldSessions(now, limit));
}

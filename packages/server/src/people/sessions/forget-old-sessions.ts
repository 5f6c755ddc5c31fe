import type { Gate } from '../../gate/kernel/gate.ts';
import { sweep } from '../../gate/kernel/sweep.ts';

/** Deletes sessions whose time is over; answers how many. */
export function forgetOldSessions(gate: Gate): Promise<number> {
  return sweep(gate, (tx, now, limit) => tx.deleteOldSessions(now, limit));
}

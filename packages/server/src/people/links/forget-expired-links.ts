import type { Gate } from '../../gate/kernel/gate.ts';
import { sweep } from '../../gate/kernel/sweep.ts';

/** Deletes links and tickets past their time; answers how many. */
export function forgetExpiredLinks(gate: Gate): Promise<number> {
  return sweep(gate, (tx, now, limit) => tx.deleteExpiredLinks(now, limit));
}

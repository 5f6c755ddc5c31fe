import type { Gate } from '../../gate/kernel/gate.ts';
import { sweep } from '../../gate/kernel/sweep.ts';

/** Deletes remembered answers that have expired; answers how many. */
export function sweepAnswers(gate: Gate): Promise<number> {
  return sweep(gate, (tx, now, limit) => tx.deleteExpiredIdempotencyRecords(now, limit));
}

import type { Gate } from '../kernel/gate.ts';
import { addSeconds } from '../kernel/instant.ts';
import { sweep } from '../kernel/sweep.ts';

const KEPT_SECONDS = 600;

/** What nobody works on any more is no name to be kept. */
export function forgetOldLeases(gate: Gate): Promise<number> {
  return sweep(gate, (tx, now, limit) => tx.deleteOldLeases(addSeconds(now, -KEPT_SECONDS), limit));
}

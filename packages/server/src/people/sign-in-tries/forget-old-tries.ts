import type { Gate } from '../../gate/kernel/gate.ts';
import { sweep } from '../../gate/kernel/sweep.ts';
import { PAIRS } from './sign-in-tries.ts';

/** Whatever strangers think of: of the names they made up, the newest are kept. */
const MOST_PAIRS = 100_000;

/** Clears away what no try is counted by any more. */
export async function forgetOldTries(gate: Gate): Promise<void> {
  await sweep(gate, (tx, now, limit) => tx.deleteOldSignInCounts(now, limit));
  await sweep(gate, (tx, _now, limit) => tx.trimSignInCounts(PAIRS, MOST_PAIRS, limit));
}

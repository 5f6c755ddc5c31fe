import type { Gate } from '../../gate/kernel/gate.ts';
import { sweep } from '../../gate/kernel/sweep.ts';

/** Deletes challenges, proof sessions and pairings past their time; answers how many. */
export function forgetExpiredChallenges(gate: Gate): Promise<number> {
  return sweep(gate, async (tx, now, limit) => {
    const sessions = await tx.deleteExpiredProofSessions(now, limit);
    const pairings = await tx.deleteExpiredPairings(now, limit);
    return sessions + pairings + (await tx.deleteExpiredPasskeyChallenges(now, limit));
  });
}

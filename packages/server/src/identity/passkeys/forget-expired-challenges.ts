import type { Gate } from '../../gate/gate.ts';
import { sweep } from '../../gate/sweep.ts';

/** Deletes challenges and proof sessions past their time; answers how many. */
export function forgetExpiredChallenges(gate: Gate): Promise<number> {
  return sweep(gate, async (tx, now, limit) => {
    const sessions = await tx.deleteExpiredProofSessions(now, limit);
    return sessions + (await tx.deleteExpiredPasskeyChallenges(now, limit));
  });
}

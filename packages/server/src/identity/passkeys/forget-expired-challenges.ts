import type { Gate } from '../../gate/gate.ts';

const AT_ONCE = 500;

/** Deletes challenges and proof sessions past their time, a few at a time; answers how many. */
export async function forgetExpiredChallenges(gate: Gate): Promise<number> {
  let deleted = 0;
  for (let batch = AT_ONCE; batch >= AT_ONCE; deleted += batch) {
    batch = await gate.storage.transaction(async (tx) => {
      const now = gate.clock.now();
      const sessions = await tx.deleteExpiredProofSessions(now, AT_ONCE);
      return sessions + (await tx.deleteExpiredPasskeyChallenges(now, AT_ONCE));
    });
  }
  return deleted;
}

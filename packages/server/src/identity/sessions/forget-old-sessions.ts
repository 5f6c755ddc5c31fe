import type { Gate } from '../../gate/gate.ts';

const AT_ONCE = 500;

/** Deletes sessions whose time is over, a few at a time, so that no commit waits long behind it; answers how many. */
export async function forgetOldSessions(gate: Gate): Promise<number> {
  let deleted = 0;
  for (let batch = AT_ONCE; batch === AT_ONCE; deleted += batch) {
    batch = await gate.storage.transaction((tx) => tx.deleteOldSessions(gate.clock.now(), AT_ONCE));
  }
  return deleted;
}

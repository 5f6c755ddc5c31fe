import type { Gate } from '../gate/gate.ts';

const AT_ONCE = 500;

/** Deletes links and tickets past their time, a few at a time; answers how many. */
export async function forgetExpiredLinks(gate: Gate): Promise<number> {
  let deleted = 0;
  for (let batch = AT_ONCE; batch >= AT_ONCE; deleted += batch) {
    batch = await gate.storage.transaction((tx) => tx.deleteExpiredLinks(gate.clock.now(), AT_ONCE));
  }
  return deleted;
}

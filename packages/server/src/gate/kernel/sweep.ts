import type { Clock } from './clock.ts';
import type { Instant } from './instant.ts';
import type { AfterCommit, Storage } from './storage.ts';

const AT_ONCE = 500;

/**
 * Deletes everything that has expired, a few rows at a time, so that no commit waits long behind the deletion. Returns
 * the number of deleted rows.
 *
 * @param deleteSome Deletes at most `limit` rows that had expired at `now`, and returns how many.
 */
export async function sweep<Reads, Writes>(
  gate: { storage: Storage<Reads, Writes>; clock: Clock },
  deleteSome: (tx: Reads & Writes & AfterCommit, now: Instant, limit: number) => Promise<number>,
): Promise<number> {
  let deleted = 0;
  for (let step = AT_ONCE; step >= AT_ONCE; deleted += step) {
    step = await gate.storage.transaction((tx) => deleteSome(tx, gate.clock.now(), AT_ONCE));
  }
  return deleted;
}

import type { Gate } from '../../gate/gate.ts';
import { repeatedly } from '../../gate/repeatedly.ts';

const EVERY_MS = 60_000;
const AT_ONCE = 500;

/** Deletes remembered answers that have expired, a few at a time, so that no commit waits long behind it. */
export async function sweepAnswers(gate: Gate): Promise<number> {
  let deleted = 0;
  for (let batch = AT_ONCE; batch === AT_ONCE; deleted += batch) {
    batch = await gate.storage.transaction((tx) =>
      tx.deleteExpiredIdempotencyRecords(gate.clock.now(), AT_ONCE),
    );
  }
  return deleted;
}

/** Sweeps every minute until the answered function is called. */
export function startSweepingAnswers(gate: Gate, onError: (error: unknown) => void): () => Promise<void> {
  return repeatedly(EVERY_MS, () => sweepAnswers(gate), onError);
}

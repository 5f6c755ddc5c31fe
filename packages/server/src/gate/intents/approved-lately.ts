import { addSeconds } from '../kernel/instant.ts';
import type { Equal, Intent, IntentReader } from './intent.ts';
import type { IntentDeps } from './intent-deps.ts';

/** Long enough to catch a request sent twice, by mistake or on purpose. */
const LATELY_SECONDS = 24 * 60 * 60;

/**
 * The latest identical request that people approved in the last 24 hours. Because of it, the new request deserves a
 * warning (threat 27).
 */
export function findApprovedLately(
  gate: Pick<IntentDeps, 'clock'>,
  read: Pick<IntentReader, 'findLastApprovedEqual'>,
  intent: Equal,
): Promise<Intent | undefined> {
  return read.findLastApprovedEqual(intent, addSeconds(gate.clock.now(), -LATELY_SECONDS));
}

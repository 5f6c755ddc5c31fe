import { addSeconds, type Instant } from '../kernel/instant.ts';
import type { Equal, Intent, IntentReader } from './intent.ts';
import type { IntentDeps } from './intent-deps.ts';

/**
 * The latest denial that a person made in this project, of a request with the same action and parameters. Any requester
 * may have sent that request.
 */
export interface DeniedLately {
  intentId: string;
  /** Email address. */
  by: string;
  at: Instant;
  reason: string | null;
}

const LATELY_SECONDS = 7 * 24 * 60 * 60;

/** Only for a pending intent. Null also when nobody denied an equal request in the last 7 days. */
export async function findDeniedLately(
  gate: Pick<IntentDeps, 'clock'>,
  read: Pick<IntentReader, 'findLastDenied'>,
  intent: Equal & Pick<Intent, 'status'>,
): Promise<DeniedLately | null> {
  if (intent.status !== 'pending') return null;
  const denied = await read.findLastDenied(intent, addSeconds(gate.clock.now(), -LATELY_SECONDS));
  if (!denied) return null;
  const { id, resolvedBy, resolvedAt, createdAt, reason } = denied;
  return { intentId: id, by: resolvedBy ?? '', at: resolvedAt ?? createdAt, reason };
}

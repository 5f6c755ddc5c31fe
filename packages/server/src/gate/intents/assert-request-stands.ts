import { assertGoodStanding } from '../access/standing.ts';
import type { IntentDeps } from './intent-deps.ts';
import { findIntentAgent } from './policy-request.ts';

/**
 * Call it before repeating an idempotent answer about an intent. Checks that the agent could still create the intent,
 * whoever sent the request.
 */
export async function assertRequestStands(
  gate: Pick<IntentDeps, 'projectSettings' | 'storage'>,
  intentId: string,
): Promise<void> {
  const intent = await gate.storage.read.findIntent(intentId);
  if (!intent) return;
  const settings = await gate.projectSettings.current(intent.projectId);
  assertGoodStanding(settings, await findIntentAgent(settings, intent));
}

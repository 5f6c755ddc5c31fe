import { assertGoodStanding } from '../access/standing.ts';
import type { IntentDeps } from './intent-deps.ts';
import { findIntentAgent } from './policy-request.ts';

/** Before an intent that was made is told again: the agent it runs as could still make it, whoever asked. */
export async function assertRequestStands(
  gate: Pick<IntentDeps, 'projectSettings' | 'storage'>,
  intentId: string,
): Promise<void> {
  const intent = await gate.storage.read.findIntent(intentId);
  if (!intent) return;
  const settings = await gate.projectSettings.current(intent.projectId);
  assertGoodStanding(settings, await findIntentAgent(settings, intent));
}

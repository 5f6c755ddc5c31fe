import { findIntentAgent } from '../intents/policy-request.ts';
import { permitInvalid } from '../tokens/permit-refusal.ts';
import { assertUsable } from './assert-usable.ts';
import type { PermitDeps } from './permit-deps.ts';

/**
 * Before the answer to a use is given again: what would forbid the use now forbids its repetition. The end of the permit
 * does not. The use came before it, and who lost the answer could not tell otherwise what became of it.
 *
 * @throws GateError `permit_invalid`
 */
export async function assertUseStands(gate: PermitDeps, intentId: string): Promise<void> {
  const intent = await gate.storage.read.findIntent(intentId);
  if (!intent) throw permitInvalid('revoked');
  const settings = await gate.projectSettings.current(intent.projectId);
  assertUsable(intent, settings, await findIntentAgent(settings, intent), gate.clock.now());
}

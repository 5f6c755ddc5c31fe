import { findIntentAgent } from '../intents/policy-request.ts';
import { permitInvalid } from '../tokens/permit-refusal.ts';
import { assertUsable } from './assert-usable.ts';
import type { PermitDeps } from './permit-deps.ts';

/**
 * Call it before the answer to a use is repeated. Anything that would forbid the use now forbids the repetition, except
 * the permit's expiry. The use came before the expiry, and an executor that lost the answer could not otherwise learn
 * about it.
 *
 * @throws GateError `permit_invalid`
 */
export async function assertUseStands(gate: PermitDeps, intentId: string): Promise<void> {
  const intent = await gate.storage.read.findIntent(intentId);
  if (!intent) throw permitInvalid('revoked');
  const settings = await gate.projectSettings.current(intent.projectId);
  assertUsable(intent, settings, await findIntentAgent(settings, intent), gate.clock.now());
}

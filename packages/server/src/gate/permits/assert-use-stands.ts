import type { Gate } from '../gate.ts';
import type { Instant } from '../instant.ts';
import { findIntentAgent } from '../intents/policy-request.ts';
import { assertUsable } from './assert-usable.ts';
import { permitInvalid } from './permit-refusal.ts';

/**
 * Before "you may run it" is said again to whoever lost the answer: what would forbid the use now forbids its
 * repetition, and so does the end of the permit, after which nobody can still be waiting for that answer.
 *
 * @throws GateError `permit_invalid`
 */
export async function assertUseStands(
  gate: Gate,
  use: { intentId: string; permitExpiresAt: Instant },
): Promise<void> {
  const intent = await gate.storage.read.findIntent(use.intentId);
  if (!intent) throw permitInvalid('revoked');
  const now = gate.clock.now();
  if (use.permitExpiresAt <= now) throw permitInvalid('expired');
  const settings = await gate.projectSettings.current(intent.projectId);
  assertUsable(intent, settings, await findIntentAgent(settings, intent), now);
}

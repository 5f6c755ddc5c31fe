import type { Gate } from '../gate.ts';
import { findIntentAgent } from '../intents/policy-request.ts';
import { permitInvalid } from '../permits/permit-refusal.ts';
import type { Caller } from './caller.ts';
import { assertGoodStanding, findStandingProblem } from './standing.ts';

/**
 * Before an earlier answer to this caller is given again: the project runs, and an agent that calls is not paused.
 * The credential itself was looked up for this very request.
 */
export async function assertCallerInStanding(gate: Gate, caller: Caller): Promise<void> {
  if (!('projectId' in caller)) return;
  const settings = await gate.projectSettings.current(gate.storage.read, caller.projectId, caller.revision);
  assertGoodStanding(settings, caller.kind === 'agent' ? caller.agent : null);
}

/**
 * Before "you may run it" is said again: what could forbid the use forbids its repetition too, all but the use itself.
 */
export async function assertUseStands(gate: Gate, intentId: string): Promise<void> {
  const intent = await gate.storage.read.findIntent(intentId);
  if (!intent || intent.revokedAt !== null) throw permitInvalid('revoked');
  const settings = await gate.projectSettings.current(gate.storage.read, intent.projectId);
  const problem = findStandingProblem(settings, await findIntentAgent(gate, intent));
  if (problem) throw permitInvalid(problem);
}

/** Before an intent that was made is told again: the agent it runs as could still make it, whoever asked. */
export async function assertRequestStands(gate: Gate, intentId: string): Promise<void> {
  const intent = await gate.storage.read.findIntent(intentId);
  if (!intent) return;
  const settings = await gate.projectSettings.current(gate.storage.read, intent.projectId);
  assertGoodStanding(settings, await findIntentAgent(gate, intent));
}

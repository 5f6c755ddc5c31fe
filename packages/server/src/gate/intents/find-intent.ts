import type { Caller } from '../access/caller.ts';
import { holdsScope, seesProject } from '../access/scopes.ts';
import { unknownIntent } from '../kernel/not-found.ts';
import { expireIfDue } from './expire.ts';
import type { Intent } from './intent.ts';
import type { IntentDeps } from './intent-deps.ts';

/**
 * Whether the intent exists for this caller. An agent sees only requests that the agent itself sent, or that a service
 * sent in the agent's name.
 */
export function seesIntent(caller: Caller, intent: Intent): boolean {
  if (caller.kind === 'agent') {
    return intent.projectId === caller.projectId && intent.agentId === caller.agent.id;
  }
  return seesProject(caller, intent.projectId);
}

/**
 * Whether the caller sent the intent. True for the agent that it runs as, for the same key, and for another secret key
 * of its owner.
 */
export function isRequester(caller: Caller, intent: Intent): boolean {
  if (caller.kind === 'agent') return seesIntent(caller, intent);
  if (caller.kind !== 'secret' || intent.requester.type !== 'key') return false;
  return intent.requester.id === caller.credentialId || intent.requester.ownerId === caller.owner.id;
}

/**
 * Permit tokens are bearer secrets. Only the requester's own credential and the project's secret keys get a token, and
 * only while they may use it.
 */
export function mayHoldPermit(caller: Caller, intent: Intent): boolean {
  if (!seesIntent(caller, intent) || !holdsScope(caller, 'permits:consume', intent.projectId)) return false;
  return caller.kind === 'secret' || isRequester(caller, intent);
}

/**
 * The current intent. Writes its expiry if it is due. Throws the same `intent_not_found` for an unknown intent and for
 * an intent that the caller may not see.
 */
export async function getIntent(gate: IntentDeps, caller: Caller, intentId: string): Promise<Intent> {
  const intent = await gate.storage.read.findIntent(intentId);
  if (!intent || !seesIntent(caller, intent)) throw unknownIntent();
  return expireIfDue(gate, intent);
}

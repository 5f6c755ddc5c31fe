import type { Caller } from '../access/caller.ts';
import { holdsScope, seesProject } from '../access/scopes.ts';
import { unknownIntent } from '../kernel/not-found.ts';
import { expireIfDue } from './expire.ts';
import type { Intent } from './intent.ts';
import type { IntentDeps } from './intent-deps.ts';

/** Whether the intent exists for this caller: an agent sees only what it, or a service in its name, asked for. */
export function seesIntent(caller: Caller, intent: Intent): boolean {
  if (caller.kind === 'agent') {
    return intent.projectId === caller.projectId && intent.agentId === caller.agent.id;
  }
  return seesProject(caller, intent.projectId);
}

/** Whether the caller is the one that asked: the agent it runs as, the same key, or another secret key of its owner. */
export function isRequester(caller: Caller, intent: Intent): boolean {
  if (caller.kind === 'agent') return seesIntent(caller, intent);
  if (caller.kind !== 'secret' || intent.requester.type !== 'key') return false;
  return intent.requester.id === caller.credentialId || intent.requester.ownerId === caller.owner.id;
}

/** Permit tokens are bearer secrets: only for the requester's own credential and for the project's secret keys,
 * as long as they may use one. */
export function mayHoldPermit(caller: Caller, intent: Intent): boolean {
  if (!seesIntent(caller, intent) || !holdsScope(caller, 'permits:consume', intent.projectId)) return false;
  return caller.kind === 'secret' || isRequester(caller, intent);
}

/**
 * The intent as of now, its expiry written if it is due. Throws `intent_not_found` alike for one that does not exist
 * and one the caller may not see.
 */
export async function getIntent(gate: IntentDeps, caller: Caller, intentId: string): Promise<Intent> {
  const intent = await gate.storage.read.findIntent(intentId);
  if (!intent || !seesIntent(caller, intent)) throw unknownIntent();
  return expireIfDue(gate, intent);
}

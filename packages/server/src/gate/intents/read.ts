import type { Caller } from '../access/caller.ts';
import { getIntent } from './find-intent.ts';
import type { IntentDeps } from './intent-deps.ts';
import { findAgentStatus, type IntentView, toIntentView } from './intent-view.ts';

/** Reads one intent. Never decides anything, and never creates a permit. */
export async function readIntent(gate: IntentDeps, caller: Caller, intentId: string): Promise<IntentView> {
  const intent = await getIntent(gate, caller, intentId);
  return toIntentView(gate, caller, intent, await findAgentStatus(gate, intent));
}

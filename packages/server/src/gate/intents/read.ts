import type { Caller } from '../access/caller.ts';
import type { Gate } from '../kernel/gate.ts';
import { getIntent } from './find-intent.ts';
import { findAgentStatus, type IntentView, toIntentView } from './intent-view.ts';

/** Reads one intent. Never decides anything, never makes a permit. */
export async function readIntent(gate: Gate, caller: Caller, intentId: string): Promise<IntentView> {
  const intent = await getIntent(gate, caller, intentId);
  return toIntentView(gate, caller, intent, await findAgentStatus(gate, intent));
}

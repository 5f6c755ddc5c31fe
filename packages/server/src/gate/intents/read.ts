import type { Caller } from '../access/caller.ts';
import type { Gate } from '../gate.ts';
import { millisecondsBetween } from '../instant.ts';
import { getIntent } from './find-intent.ts';
import type { Intent } from './intent.ts';
import { findAgentStatus, type IntentView, toIntentView } from './intent-view.ts';

/** Reads one intent. Never decides anything, never makes a permit. */
export async function readIntent(gate: Gate, caller: Caller, intentId: string): Promise<IntentView> {
  const intent = await getIntent(gate, caller, intentId);
  return toIntentView(gate, caller, intent, await findAgentStatus(gate, intent));
}

/**
 * Reads one intent, holding the answer until it is resolved, at most `waitSeconds`. The database is asked once
 * before the wait and once after it, however long it lasts.
 */
export async function waitForIntent(
  gate: Gate,
  caller: Caller,
  intentId: string,
  waitSeconds: number,
  hungUp: AbortSignal,
): Promise<IntentView> {
  const settled = new AbortController();
  const stopListening = (): void => settled.abort();
  hungUp.addEventListener('abort', stopListening, { once: true });
  try {
    // Listening starts before the read, so that no wake-up falls between the two.
    const resolved = gate.wakeups.listen(intentId, waitSeconds * 1000, settled.signal);
    const intent = await getIntent(gate, caller, intentId);
    if (intent.status === 'pending')
      await Promise.race([resolved, untilExpiry(gate, intent, settled.signal)]);
    return readIntent(gate, caller, intentId);
  } finally {
    hungUp.removeEventListener('abort', stopListening);
    stopListening();
  }
}

/** Most waits end before the intent does; only one that would outlast it needs a timer of its own. */
function untilExpiry(gate: Gate, intent: Intent, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const left = Math.max(0, millisecondsBetween(gate.clock.now(), intent.expiresAt));
    if (left > 61_000) return;
    const timer = setTimeout(resolve, left + 1);
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  });
}

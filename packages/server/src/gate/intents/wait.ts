import type { Caller } from '../access/caller.ts';
import { millisecondsBetween } from '../kernel/instant.ts';
import { getIntent } from './find-intent.ts';
import type { Intent } from './intent.ts';
import type { IntentDeps } from './intent-deps.ts';

/**
 * Resolves when the intent is no longer pending, at the latest after `waitSeconds`. Reads the database once, however
 * long the wait. The caller must check the credential again before further reads, because the credential may have ended
 * meanwhile.
 *
 * @throws GateError `intent_not_found`
 */
export async function waitUntilResolved(
  gate: IntentDeps,
  caller: Caller,
  intentId: string,
  waitSeconds: number,
  hungUp: AbortSignal,
): Promise<void> {
  if (hungUp.aborted) return;
  const settled = new AbortController();
  const stopListening = (): void => settled.abort();
  hungUp.addEventListener('abort', stopListening, { once: true });
  try {
    // Starts to listen before it reads. Otherwise a wake-up between the two would be lost.
    const woken = gate.listeners.wakeups.listen(intentId, waitSeconds * 1000, settled.signal);
    const intent = await getIntent(gate, caller, intentId);
    if (intent.status !== 'pending') return;
    await Promise.race([woken, untilExpiry(gate, intent, settled.signal)]);
  } finally {
    hungUp.removeEventListener('abort', stopListening);
    stopListening();
  }
}

/** The longest wait of any caller. An intent that lives longer needs no timer of its own. */
const LONGEST_WAIT_MS = 60_000;

function untilExpiry(gate: Pick<IntentDeps, 'clock'>, intent: Intent, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const left = Math.max(0, millisecondsBetween(gate.clock.now(), intent.expiresAt));
    if (left > LONGEST_WAIT_MS) return;
    const timer = setTimeout(resolve, left + 1);
    signal.addEventListener('abort', () => clearTimeout(timer), { once: true });
  });
}
